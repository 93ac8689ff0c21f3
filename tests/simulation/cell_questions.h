// Questions that concern all owners, whose parts a node asks of the nodes that hold the cells.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// The nodes outlive it.
class CellQuestions {
 public:
  CellQuestions(World& world, std::vector<std::unique_ptr<SimulatedNode>>& nodes)
      : world_(world), nodes_(nodes) {}

  // Asks one at some node, every few seconds from now on. Each is answered in time, once, by every
  // cell for itself, or refused for now, which is counted.
  void begin();
  void end() { over_ = true; }

  bool are_answered() const { return under_way_ == 0; }
  std::size_t refused() const { return refused_; }

 private:
  void ask();

  World& world_;
  std::vector<std::unique_ptr<SimulatedNode>>& nodes_;
  std::size_t under_way_ = 0, refused_ = 0;
  bool over_ = false;
};

}  // namespace tilth::testing
