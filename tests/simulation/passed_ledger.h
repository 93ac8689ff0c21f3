// What became of each request that nodes have passed on, and whether that is what its client was
// told.

#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/http/http.h"
#include "infra/peers/lost_request.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class PassedLedger {
 public:
  explicit PassedLedger(World& world) : world_(world) {}

  void sent(const HttpRequest& request, const std::string& to);
  void lost(const HttpRequest& request, Lost how);
  bool was_sent(const std::string& id) const { return asked_.contains(id); }

  // The client of a request gets this. `holders`: the other nodes that have its rows, as the node
  // that tells it knows.
  void answered(const std::string& id, const HttpResponse& response,
                const std::vector<std::string>& holders);

 private:
  World& world_;
  // By the request's id: how often it was sent to each node.
  std::map<std::string, std::map<std::string, std::size_t>> asked_;
  std::set<std::string> may_be_done_;  // changes that were lost and have no Idempotency-Key
};

}  // namespace tilth::testing
