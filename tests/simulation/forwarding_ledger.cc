#include "tests/simulation/forwarding_ledger.h"

#include <string_view>

#include "api/platform/forwarding.h"

namespace tilth::testing {
namespace {

// Those that a node knows first, and those that it knows once none of them has answered.
constexpr std::size_t kMostTimes = 2;

const std::string& id_of(const HttpRequest& request) { return *request.header("x-request-id"); }

}  // namespace

void ForwardingLedger::sent(const HttpRequest& request, const std::string& to,
                            const std::optional<Position>& reference) {
  const auto& id = id_of(request);
  if (reference) known_[{id, to}] = *reference;
  if (Forwarding::asks_for_parts(request)) return;  // of some cells each
  if (may_be_done_.contains(id)) {
    world_.violated(id + " was forwarded again, though it may have been done");
  }
  if (++asked_[id][to] > kMostTimes) {
    world_.violated(id + " was forwarded to " + to + " again and again");
  }
}

void ForwardingLedger::taken(const HttpRequest& request, const std::string& by, bool has_rows,
                             const std::function<bool(const Position&)>& has_read) {
  const auto& id = id_of(request);
  if (!has_rows && !Forwarding::asks_for_parts(request)) {
    world_.violated(by + " took " + id + ", although it has not its rows");
  }
  const auto known = known_.find({id, by});
  if (known != known_.end() && !has_read(known->second)) {
    world_.violated(by + " took " + id + " before it had read the reference data as far");
  }
}

void ForwardingLedger::lost(const HttpRequest& request, Lost how) {
  const bool changes = request.method != "GET" && request.header("idempotency-key") == nullptr;
  if (how == Lost::kUnknown && changes) may_be_done_.insert(id_of(request));
}

void ForwardingLedger::answered(const std::string& id, const HttpResponse& response,
                                const std::vector<std::string>& holders) {
  const auto says = [&](std::string_view what) {
    return response.status == 503 && response.body.find(what) != std::string::npos;
  };
  if (says("The node that has these rows was lost") != may_be_done_.contains(id)) {
    world_.violated(id + " was told something else than whether it may have been done");
  }
  // It looks for nodes once more before it refuses.
  std::size_t times = 0;
  for (const auto& [node, its] : asked_[id]) times += its;
  if (says("No node that can be reached") && times < kMostTimes && !holders.empty()) {
    world_.violated(id + " was refused, though " + holders.front() + " was not asked once more");
  }
}

}  // namespace tilth::testing
