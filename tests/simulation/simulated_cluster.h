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
#include <vector>

#include "command/decision.h"
#include "infra/cluster/announcement.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedNode;

class SimulatedCluster {
 public:
  struct Said {
    std::string id;
    Announcement what;
  };
  // Of a request that was passed on: a change's, or a read's.
  struct Answer {
    std::optional<Result<CommandResult>> result = {};
    std::optional<std::uint64_t> version = {};
  };
  using Reply = std::function<void(std::optional<Answer>)>;  // null: it has not the rows
  using Work = std::function<void(SimulatedNode&, Reply)>;

  SimulatedCluster(World& world, int copies) : world_(world), copies_(copies) {}

  int copies() const { return copies_; }

  // What is known of a node from outside.
  struct Member {
    SimulatedNode* node;
    std::function<bool()> is_up, is_paused;
    std::function<std::uint64_t()> lives;  // how often it was started or has died
  };

  // A node is reached by its name, whether it is up or not.
  void join(const std::string& name, Member member) { nodes_[name] = std::move(member); }

  // The topic of the nodes, in which all read the same.
  void append(Said said) { said_.push_back(std::move(said)); }
  const std::vector<Said>& said() const { return said_; }

  // Two nodes do not reach each other until this is taken back.
  void cut(const std::string& one, const std::string& other, bool is_cut);
  void mend() { cut_.clear(); }

  // Passes on what `work` stands for. One of the last two runs, once.
  void send(const std::string& from, const std::string& to, Work work,
            std::function<void(Answer)> answered, std::function<void(bool may_be_done)> lost);

 private:
  struct Request;

  bool reach(const std::string& one, const std::string& other) const;
  void arrive(const std::shared_ptr<Request>& request);
  void end(const std::shared_ptr<Request>& request, std::optional<Answer> answer);

  World& world_;
  const int copies_;
  std::map<std::string, Member> nodes_;
  std::vector<Said> said_;
  std::set<std::pair<std::string, std::string>> cut_;
  std::optional<Answer> mixed_up_;  // the last one, for a planted bug
};

}  // namespace tilth::testing
