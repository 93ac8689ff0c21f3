#include "tests/simulation/simulated_receivers.h"

#include <algorithm>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 10s;
constexpr int kNoContent = 204, kServerError = 500, kGone = 410;

WebhookAnswer answer_with(int status, std::chrono::milliseconds took) {
  WebhookAnswer answer{.status = status, .took = took};
  answer.outcome = status == kNoContent ? AttemptOutcome::kDelivered : AttemptOutcome::kHttpError;
  if (status != kNoContent) answer.error = "The receiver answered " + std::to_string(status) + ".";
  return answer;
}

}  // namespace

std::string SimulatedReceivers::add(Nature nature) {
  auto url = "https://receiver-" + std::to_string(receivers_.size()) + ".example/hook";
  receivers_[url] = {.nature = nature};
  return url;
}

void SimulatedReceivers::befall() {
  if (receivers_.empty()) return;
  auto& [url, receiver] =
      *std::next(receivers_.begin(), static_cast<std::ptrdiff_t>(world_.below(receivers_.size())));
  receiver.mood = static_cast<Mood>(1 + world_.below(3));
  receiver.until = world_.now() + world_.between(10ms, 40s);
  world_.note(url + " is not well");
}

void SimulatedReceivers::mend() {
  for (auto& [url, receiver] : receivers_) receiver = {.nature = Nature::kSound};
}

void SimulatedReceivers::arrive(const WebhookPost& post,
                                const std::function<void(int status)>& answer) {
  const auto& receiver = receivers_.at(post.url);
  const bool ill = !world_.calm() && receiver.until > world_.now();
  const auto mood = ill ? receiver.mood : Mood::kWell;
  // One that is gone is not so from the beginning.
  int status = kNoContent;
  if (receiver.nature == Nature::kBroken || mood == Mood::kBroken) status = kServerError;
  if (receiver.nature == Nature::kGone && (world_.calm() || world_.once_in(10))) status = kGone;
  if (mood == Mood::kSilent) return;
  arrived_(post, status);
  const auto delay = mood == Mood::kLate ? world_.between(500ms, 15s) : world_.between(1ms, 80ms);
  world_.after(delay, [answer, status] { answer(status); });
}

SimulatedSender::~SimulatedSender() { state_->is_over = true; }

void SimulatedSender::send(WebhookPost post, OnAnswered done) {
  auto& world = parts_.world;
  const auto noted = parts_.ledger.sent(parts_.node, parts_.turn(), post);
  ++state_->in_flight;
  struct Request {
    WebhookPost post;
    OnAnswered done;
    World::Steady::time_point begun;
    bool is_over = false;
  };
  const auto request =
      std::make_shared<Request>(Request{std::move(post), std::move(done), world.now()});
  const auto end = [this, state = state_, request, noted](const WebhookAnswer& answer) {
    if (state->is_over || std::exchange(request->is_over, true)) return;
    --state->in_flight;
    state->answered.push_back([this, request, noted, answer] {
      parts_.ledger.answered(noted, answer.status);
      request->done(answer);
    });
    parts_.wake();
  };
  const auto took = [&world, request] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(world.now() - request->begun);
  };
  world.after(kTimeout, [&world, end, took] {
    if (world.has(PlantedBug::kSilenceIsAnAnswer)) return end(answer_with(kNoContent, took()));
    end({.outcome = AttemptOutcome::kTimedOut, .error = "There was no answer.", .took = took()});
  });
  if (world.fails_once_in(25)) {
    return world.after(world.between(1ms, 2s), [end, took] {
      end({.outcome = AttemptOutcome::kUnreachable, .error = "No connection.", .took = took()});
    });
  }
  const bool is_lost = world.fails_once_in(30);  // the answer
  for (int copies = world.fails_once_in(30) ? 2 : 1; copies > 0; --copies) {
    const auto delay =
        world.fails_once_in(20) ? world.between(100ms, 9s) : world.between(1ms, 40ms);
    world.after(delay, [&receivers = parts_.receivers, request, end, took, is_lost] {
      receivers.arrive(request->post, [end, took, is_lost](int status) {
        if (!is_lost) end(answer_with(status, took()));
      });
    });
  }
}

void SimulatedSender::turn(std::chrono::milliseconds) {
  for (const auto& tell : std::exchange(state_->answered, {})) tell();
}

}  // namespace tilth::testing
