#include "infra/cluster/cluster_view.h"

#include <algorithm>
#include <tuple>

namespace tilth {
namespace {

constexpr std::size_t kMeasured = 10;  // announcements, to tell the clocks' difference

NodeStanding shown(const Announcement& announcement) {
  NodeStanding node{.node = announcement.node,
                    .ready = announcement.ready,
                    .version = announcement.version,
                    .roles = announcement.roles,
                    .address = announcement.address,
                    .operator_address = announcement.operator_address,
                    .peer_address = announcement.peer_address,
                    .copies = static_cast<int>(announcement.copies),
                    .draining = announcement.draining,
                    .started_at = announcement.started_at,
                    .stopped = announcement.stopped};
  for (const auto& [partition, next] : announcement.holds) {
    node.next.push_back({static_cast<int>(partition), next});
  }
  for (const auto partition : announcement.halted)
    node.halted.push_back(static_cast<int>(partition));
  return node;
}

}  // namespace

void ClusterView::update(const Announcement& announcement, Steady::time_point now, Timestamp time) {
  std::erase_if(runs_, [&](const auto& each) { return now >= each.second.received + kRemembered; });
  if (announcement.run == own_) return;
  const auto [at, is_new] = runs_.try_emplace(announcement.run);
  auto& run = at->second;
  run.last = announcement;
  run.received = now;
  run.heard_at = time;
  run.replaced = false;
  run.ahead.push_back(announcement.at.at - time.at);
  if (run.ahead.size() > kMeasured) run.ahead.pop_front();
  if (!is_new) return;
  for (auto& [name, other] : runs_) {
    if (name != announcement.run && other.last.node == announcement.node) other.replaced = true;
  }
}

bool ClusterView::shares_id(const std::string& node, const std::string& run,
                            Steady::time_point now) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const auto& each) {
    return each.first != run && each.second.last.node == node && speaks(each.second, now);
  });
}

std::vector<NodeStanding> ClusterView::standing(const Announcement& self,
                                                Steady::time_point now) const {
  auto own = shown(self);
  own.self = true;
  own.heard_at = self.at;
  own.id_shared = shares_id(self.node, own_, now);
  own.cut_off = !fresh(now);
  std::vector<NodeStanding> all = {std::move(own)};
  for (const auto& [name, run] : runs_) {
    if (run.replaced || now >= run.received + kRemembered) continue;
    auto node = shown(run.last);
    const bool silent = now >= run.received + kSilence;
    node.state = run.last.left ? NodeState::kLeft
                 : !silent     ? NodeState::kLive
                 : fresh(now)  ? NodeState::kDead
                               : NodeState::kUnknown;
    node.heard_at = run.heard_at;
    node.silent_for = std::chrono::duration_cast<std::chrono::milliseconds>(now - run.received);
    node.clock_ahead = *std::max_element(run.ahead.begin(), run.ahead.end());
    if (node.state == NodeState::kLive) {
      node.other_version = node.version != self.version;
      node.other_copies = node.copies != self.copies;
      node.clock_apart = std::chrono::abs(node.clock_ahead) > kClocksApart;
      node.id_shared = node.node == self.node || shares_id(node.node, name, now);
    }
    all.push_back(std::move(node));
  }
  std::sort(all.begin() + 1, all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.node, a.started_at) < std::tie(b.node, b.started_at);
  });
  return all;
}

}  // namespace tilth
