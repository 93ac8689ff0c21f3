// What became of each request that nodes have forwarded, and whether that is what its client was
// told.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/http/http.h"
#include "events/log/event_log.h"
#include "infra/peers/lost_request.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class ForwardingLedger {
 public:
  explicit ForwardingLedger(World& world) : world_(world) {}

  // `reference`: the last event of the reference data that the node which forwards it has read
  // since it was started; null: none.
  void sent(const HttpRequest& request, const std::string& to,
            const std::optional<Position>& reference);
  void lost(const HttpRequest& request, Lost how);
  bool was_sent(const std::string& id) const { return asked_.contains(id); }

  // A node takes it. `has_rows`: of its owner; `has_read`: whether its rows reach a position.
  void taken(const HttpRequest& request, const std::string& by, bool has_rows,
             const std::function<bool(const Position&)>& has_read);
  // The client of a request gets this. `holders`: the other nodes that have its rows, as the node
  // that tells it knows.
  void answered(const std::string& id, const HttpResponse& response,
                const std::vector<std::string>& holders);

 private:
  World& world_;
  // By the request's id: how often it was sent to each node.
  std::map<std::string, std::map<std::string, std::size_t>> asked_;
  // By its id and the node that it was sent to.
  std::map<std::pair<std::string, std::string>, Position> known_;
  std::set<std::string> may_be_done_;  // changes that were lost and have no Idempotency-Key
};

}  // namespace tilth::testing
