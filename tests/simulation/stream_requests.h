// Requests that any owner's stream takes, whatever it has.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/ledger.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// The nodes outlive it.
class StreamRequests {
 public:
  StreamRequests(World& world, SimulatedTopic& topic, Ledger& ledger,
                 std::vector<std::unique_ptr<SimulatedNode>>& nodes)
      : world_(world), topic_(topic), ledger_(ledger), nodes_(nodes) {}

  // One, at a node that may not take it; and once its result is known, a read at another node.
  void ask_now(const std::string& stream, SimulatedNode& node);

  // Once nothing fails any more and the nodes are at rest: some at once, of which the outcome of
  // one append is lost. What is not known then is asked again, and at last there is one more. Each
  // is answered within a command's timeout, and none is refused but for a loss that is reported
  // late.
  void ask_at_the_end(const std::string& stream);

  bool are_answered() const { return under_way_ == 0; }

 private:
  void ask(const CommandRequest& request, SimulatedNode& node, bool has_to_take_it,
           std::function<void(const Result<CommandResult>&)> then);
  void ask_last(const CommandRequest& request, bool after_loss);
  CommandRequest next(const std::string& stream);
  SimulatedNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }

  World& world_;
  SimulatedTopic& topic_;
  Ledger& ledger_;
  std::vector<std::unique_ptr<SimulatedNode>>& nodes_;
  std::size_t under_way_ = 0, asked_ = 0;
  std::map<std::string, std::size_t> together_;  // by stream, those that are not known yet
};

}  // namespace tilth::testing
