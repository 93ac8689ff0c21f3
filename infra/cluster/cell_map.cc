#include "infra/cluster/cell_map.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "infra/cluster/placement.h"

namespace tilth {
namespace {

// A node of another layout holds everything and takes nothing that is passed on. While this node
// hears nobody, not even itself, it goes by what it has heard last.
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

// Which cells it announces whole.
std::vector<bool> announced_by(const NodeStanding& node, int partitions, int cells) {
  std::set<int> announced;
  for (const auto& next : node.next) announced.insert(next.partition);
  std::vector<bool> whole(static_cast<std::size_t>(cells), true);
  for (int partition = 0; partition < partitions; ++partition) {
    if (!announced.contains(partition)) whole[static_cast<std::size_t>(partition % cells)] = false;
  }
  return whole;
}

}  // namespace

CellMap::CellMap(const std::vector<NodeStanding>& nodes, int partitions, int cells, int copies)
    : others_(static_cast<std::size_t>(cells)),
      should_hold_(others_.size()),
      other_is_first_(others_.size()),
      enough_(others_.size()) {
  const auto live = live_among(nodes);
  const auto takers = takers_among(live);
  const auto wanted = std::min(fewest_copies(live, copies), takers.size());
  const Placement placement(takers, cells, copies);
  std::map<std::string, std::vector<bool>> announced;
  for (const auto& [id, node] : live) {
    if (!node->self && node->ready) announced.emplace(id, announced_by(*node, partitions, cells));
  }
  for (std::size_t cell = 0; cell < others_.size(); ++cell) {
    std::size_t staying = 0;
    std::vector<std::string> order;  // ids: those that should hold it, then the rest
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
      if (its == announced.end() || !its->second[cell]) continue;
      others_[cell].push_back(live.at(id)->peer_address);
      if (live.at(id)->reached && !live.at(id)->draining) ++staying;
    }
    enough_[cell] = wanted > 0 && staying >= wanted;
  }
}

}  // namespace tilth
