// How the nodes of a divided cluster hear of each other and reach each other in a simulated world.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/http/http.h"
#include "command/decision.h"
#include "infra/peers/lost_request.h"
#include "tests/simulation/forwarding_ledger.h"
#include "tests/simulation/plain_view.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/stand_ins.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedCluster {
 public:
  SimulatedCluster(World& world, int copies) : world_(world), copies_(copies), forwarded_(world) {}

  int copies() const { return copies_; }

  // What is known of a node from outside.
  struct Member {
    std::function<void(HttpRequest, std::unique_ptr<Responder>)> take;  // what is forwarded
    std::function<bool()> is_up, is_paused;
    // The last event of the reference data that it has read since it was started.
    std::function<std::optional<Position>()> reference;
    std::function<std::uint64_t()> lives;  // how often it was started or has died
  };

  // A node is reached by its name, whether it is up or not.
  void join(const std::string& name, Member member) { nodes_[name] = std::move(member); }

  // In which nodes announce themselves.
  SimulatedTopic& announcements() { return announcements_; }
  AnnouncedByNodes& announced() { return announced_; }

  // Two nodes do not reach each other until this is taken back.
  void cut(const std::string& one, const std::string& other, bool is_cut);
  void mend() { cut_.clear(); }

  // As PeerClient::send(), between two nodes. What a node that died has sent comes back to none.
  void send(const std::string& from, const std::string& to, HttpRequest request,
            std::unique_ptr<Responder> answer, OnLost lost);

  // What has become of the requests that were forwarded.
  ForwardingLedger& forwarded() { return forwarded_; }

  // What the bodies of these requests and of their responses stand for.
  StandIns<CommandRequest>& commands() { return commands_; }
  StandIns<Result<CommandResult>>& results() { return results_; }

 private:
  class Returning;
  struct Forwarded;

  bool reach(const std::string& one, const std::string& other) const;
  void spoil(HttpRequest& request);
  void arrive(const std::shared_ptr<Forwarded>& forwarded);
  void come_back(const std::shared_ptr<Forwarded>& forwarded, HttpResponse response);
  void end(Forwarded& forwarded, HttpResponse response);
  void lose(Forwarded& forwarded, Lost how);
  void end_if_abandoned(const std::shared_ptr<Forwarded>& forwarded);

  World& world_;
  const int copies_;
  std::map<std::string, Member> nodes_;
  SimulatedTopic announcements_{SimulatedTopic::Kind::kShared, 1};
  AnnouncedByNodes announced_;
  std::set<std::pair<std::string, std::string>> cut_;
  StandIns<CommandRequest> commands_;
  StandIns<Result<CommandResult>> results_;
  ForwardingLedger forwarded_;
  std::optional<HttpResponse> mixed_up_;  // the last one, for a planted bug
};

}  // namespace tilth::testing
