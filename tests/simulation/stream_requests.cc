#include "tests/simulation/stream_requests.h"

#include <utility>

#include "command/work/task_template.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestAnswer = 6s;  // the timeout of a command, and a little

}  // namespace

CommandRequest StreamRequests::next(const std::string& stream) {
  const auto number = std::to_string(++asked_);
  CommandRequest request;
  request.stream = stream;
  request.actor = "key_1";
  request.idempotency = Idempotency{"template-" + number, "hash"};
  request.decide = deciding(CreateTaskTemplate{{}, {.name = "Template " + number}});
  return request;
}

void StreamRequests::ask(const CommandRequest& request, SimulatedNode& node, bool has_to_take_it,
                         std::function<void(const Result<CommandResult>&)> then) {
  auto attempt = ledger_.begin(request, {});
  auto sent = request;
  sent.request_id = attempt->request_id;
  sent.decide = ledger_.watched(attempt);
  ++under_way_;
  const auto done = [this, attempt, then = std::move(then)](const Result<CommandResult>& result) {
    ledger_.ended(attempt, result);
    // Its client learns so a little later: the node may be about to die.
    world_.after(world_.between(50us, 2ms), [this, then, result] {
      --under_way_;
      then(result);
    });
  };
  if (node.carry_out(std::move(sent), done)) return;
  --under_way_;
  Ledger::not_sent(attempt);
  if (has_to_take_it) world_.violated(node.name() + " takes no request, though it is at rest");
}

void StreamRequests::ask_now(const std::string& stream, SimulatedNode& node) {
  ask(next(stream), node, false, [this, stream](const auto& result) {
    if (!result || !result->position) return;
    auto& reader = any_node();
    if (!reader.is_ready()) return;
    const auto since = *result->position;
    reader.read(stream, since, [this, stream, since](std::optional<std::uint64_t> version) {
      version ? ledger_.was_read(stream, since, *version) : ledger_.was_not_read();
    });
  });
}

void StreamRequests::ask_at_the_end(const std::string& stream) {
  topic_.lose_next_outcome(stream);
  together_[stream] = 1 + world_.below(3);
  for (auto left = together_[stream]; left > 0; --left) ask_last(next(stream), true);
}

void StreamRequests::ask_last(const CommandRequest& request, bool after_loss) {
  ask(request, any_node(), true,
      [this, request, after_loss, since = world_.now()](const Result<CommandResult>& result) {
        if (world_.now() > since + kLongestAnswer) {
          world_.violated("A request was answered late, though nothing failed any more");
        }
        const bool may_fail = after_loss && topic_.had_late_loss(request.stream);
        if (!result && may_fail) return ask_last(request, false);
        if (!result) {
          return world_.violated("A request was refused, though nothing failed any more: " +
                                 result.error().message);
        }
        auto& left = together_[request.stream];
        if (left > 0 && --left == 0) ask_last(next(request.stream), false);
      });
}

}  // namespace tilth::testing
