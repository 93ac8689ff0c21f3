#include "infra/cluster/cell_map.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "infra/cluster/placement.h"

namespace tilth {
namespace {

// A node of another layout holds everything and takes nothing that is forwarded. While this node
// reads no announcements, not even its own, it goes by the last ones.
bool takes_part(const NodeStanding& node) {
  const bool may_live = node.state == NodeState::kLive || node.state == NodeState::kUnknown;
  return may_live && !node.peer_address.empty();
}

using LiveNodes = std::map<std::string, const NodeStanding*>;  // by id

LiveNodes live_among(const std::vector<NodeStanding>& nodes) {
  LiveNodes live;
  for (const auto& node : nodes) {
    if (takes_part(node)) live.emplace(node.node, &node);
  }
  return live;
}

// The nodes to which cells are given. If all of them drain, they hold what they should, and give
// nothing up.
std::vector<std::string> takers_among(const LiveNodes& live) {
  std::vector<std::string> takers;
  for (const auto& [id, node] : live) {
    if (!node->draining) takers.push_back(id);
  }
  if (!takers.empty()) return takers;
  for (const auto& [id, node] : live) takers.push_back(id);
  return takers;
}

// The smallest number that a node is configured with: those with another number hold other cells
// than this one expects.
std::size_t fewest_copies(const LiveNodes& live, int copies) {
  for (const auto& [id, node] : live) {
    if (node->copies > 0) copies = std::min(copies, node->copies);
  }
  return static_cast<std::size_t>(copies);
}

// By cell: whether it announces it whole, and whether it goes on to follow it.
struct Announced {
  std::vector<bool> whole, goes_on;
};

Announced announced_by(const NodeStanding& node, int partitions, int cells) {
  std::set<int> announced;
  for (const auto& next : node.next) announced.insert(next.partition);
  const std::set<int> halted(node.halted.begin(), node.halted.end());
  Announced by{.whole = std::vector<bool>(static_cast<std::size_t>(cells), true),
               .goes_on = std::vector<bool>(static_cast<std::size_t>(cells), true)};
  for (int partition = 0; partition < partitions; ++partition) {
    const auto cell = static_cast<std::size_t>(partition % cells);
    if (!announced.contains(partition)) by.whole[cell] = false;
    if (halted.contains(partition)) by.goes_on[cell] = false;
  }
  return by;
}

}  // namespace

CellMap::CellMap(const std::vector<NodeStanding>& nodes, int partitions, int cells, int copies)
    : others_(static_cast<std::size_t>(cells)),
      go_on_(others_.size()),
      should_hold_(others_.size()),
      other_is_first_(others_.size()),
      enough_(others_.size()) {
  const auto live = live_among(nodes);
  const auto takers = takers_among(live);
  const auto wanted = std::min(fewest_copies(live, copies), takers.size());
  const Placement placement(takers, cells, copies);
  std::map<std::string, Announced> announced;
  for (const auto& [id, node] : live) {
    if (!node->self && node->ready) announced.emplace(id, announced_by(*node, partitions, cells));
  }
  for (std::size_t cell = 0; cell < others_.size(); ++cell) {
    std::size_t staying = 0;
    std::vector<std::string> halted;  // addresses
    std::vector<std::string> order;   // ids: those that should hold it, then the rest
    for (const int holder : placement.holders_of(static_cast<int>(cell))) {
      order.push_back(placement.nodes()[static_cast<std::size_t>(holder)]);
    }
    const auto& self = nodes.front().node;
    should_hold_[cell] = std::ranges::find(order, self) != order.end();
    for (const auto& [id, node] : live) {
      if (std::ranges::find(order, id) == order.end()) order.push_back(id);
    }
    for (const auto& id : order) {
      if (id == self) other_is_first_[cell] = !others_[cell].empty();
      const auto its = announced.find(id);
      if (its == announced.end() || !its->second.whole[cell]) continue;
      const auto& node = *live.at(id);
      if (!its->second.goes_on[cell]) {
        halted.push_back(node.peer_address);
        continue;
      }
      others_[cell].push_back(node.peer_address);
      if (node.reached && !node.draining) ++staying;
    }
    go_on_[cell] = others_[cell].size();
    others_[cell].insert(others_[cell].end(), halted.begin(), halted.end());
    enough_[cell] = wanted > 0 && staying >= wanted;
  }
}

}  // namespace tilth
