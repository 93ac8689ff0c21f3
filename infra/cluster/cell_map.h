// Which nodes hold the cells of the land, and which should.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/operator/node_standing.h"

namespace tilth {

// Made again after each announcement. A cell is held by a node that announces all of its
// partitions; which nodes should hold it follows from the live ones by Placement, so that all nodes
// that have read the same announcements agree.
class CellMap {
 public:
  // `nodes`: this node first, see ClusterView::standing(). The partition p belongs to the cell
  // p modulo `cells`, and each cell should have `copies` holders.
  CellMap(const std::vector<NodeStanding>& nodes, int partitions, int cells, int copies);

  // The addresses for other nodes of the live nodes that hold it, without this node: those that
  // should hold it first, so that every node sends a change to the same one; and at last those that
  // do not go on to follow all of it.
  const std::vector<std::string>& others_with(std::size_t cell) const { return others_[cell]; }

  // How many of them, in front, go on to follow it.
  std::size_t others_that_go_on(std::size_t cell) const { return go_on_[cell]; }

  // Whether this node should hold the cell.
  bool should_hold(std::size_t cell) const { return should_hold_[cell]; }

  // Whether another node that goes on to follow it comes before this one in that order.
  bool other_is_first(std::size_t cell) const { return other_is_first_[cell]; }

  // Whether this node may give the cell up: enough others hold it that this node has reached, all
  // of these go on to follow it, and none gives up what it has.
  bool has_enough_others(std::size_t cell) const { return enough_[cell]; }

 private:
  std::vector<std::vector<std::string>> others_;             // by cell
  std::vector<std::size_t> go_on_;                           // by cell
  std::vector<bool> should_hold_, other_is_first_, enough_;  // by cell
};

}  // namespace tilth
