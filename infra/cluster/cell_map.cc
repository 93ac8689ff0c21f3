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
  std::vector<std::string> takers;
  std::map<std::string, const NodeStanding*> live;
  auto wanted = static_cast<std::size_t>(copies);
  for (const auto& node : nodes) {
    if (!takes_part(node)) continue;
    live.emplace(node.node, &node);
    if (!node.draining) takers.push_back(node.node);
    // Nodes with another number hold other cells than this one expects.
    if (node.copies > 0) wanted = std::min(wanted, static_cast<std::size_t>(node.copies));
  }
  if (takers.empty()) {  // all of them drain: they hold what they should, and give nothing up
    for (const auto& [id, node] : live) takers.push_back(id);
  }
  wanted = std::min(wanted, takers.size());
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
