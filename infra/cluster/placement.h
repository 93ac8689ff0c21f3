// Which nodes hold which partitions: each node computes the same from the nodes that live.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

// Rendezvous hashing with bounded loads. Each node has a weight for each partition, and a partition
// asks the nodes of its highest weights first. A node holds at most most_held() partitions; a full
// one keeps those of its highest weights, and the others ask on. That is deferred acceptance (Gale
// and Shapley), whose result depends on nothing but the weights: neither on the order in which
// partitions ask, nor on who held what before.
//
// A node's weights are not drawn one by one: they are the places of the partitions in a shuffle of
// its own, so that every node has as many high weights as any other. That halves the variance of
// what nodes hold, and few of them reach the bound.
// See docs/decisions/0078-nodes-say-that-they-live-and-partitions-follow-from-that.md.
//
// Nodes of several versions run side by side, so none of this may ever change.
class Placement {
 public:
  // `nodes` are ids, in any order. `copies` of each partition, or as many as there are nodes.
  Placement(std::vector<std::string> nodes, int partitions, int copies);

  const std::vector<std::string>& nodes() const { return nodes_; }  // in order

  // Who holds the partition, as indexes of nodes(), the highest weight first.
  std::span<const int> holders_of(int partition) const;

  // What `node` holds, in order.
  std::vector<int> held_by(std::string_view node) const;

  // 15 % more than the mean, rounded down, but enough for all: bounds nearer to the mean move more
  // partitions at each change.
  std::size_t most_held() const { return most_held_; }

 private:
  std::vector<std::string> nodes_;
  int partitions_ = 0;
  std::size_t copies_ = 0;
  std::size_t most_held_ = 0;
  std::vector<int> holders_;  // `copies_` for each partition
};

}  // namespace tilth
