#include "infra/cluster/cluster_view.h"

#include <algorithm>
#include <tuple>

namespace tilth {
namespace {

constexpr std::size_t kMeasured = 10;  // announcements, to tell the clocks' difference

NodeStanding shown(const Announcement& said) {
  NodeStanding node{.node = said.node,
                    .ready = said.ready,
                    .version = said.version,
                    .roles = said.roles,
                    .address = said.address,
                    .operator_address = said.operator_address,
                    .peer_address = said.peer_address,
                    .copies = static_cast<int>(said.copies),
                    .draining = said.draining,
                    .started_at = said.started_at,
                    .stopped = said.stopped};
  for (const auto& [partition, next] : said.holds) {
    node.next.push_back({static_cast<int>(partition), next});
  }
  for (const auto partition : said.halted) node.halted.push_back(static_cast<int>(partition));
  return node;
}

}  // namespace

void ClusterView::hear(const Announcement& said, Steady::time_point now, Timestamp time) {
  std::erase_if(runs_, [&](const auto& each) { return now >= each.second.heard + kRemembered; });
  if (said.run == own_) return;
  const auto [at, is_new] = runs_.try_emplace(said.run);
  auto& run = at->second;
  run.last = said;
  run.heard = now;
  run.heard_at = time;
  run.replaced = false;
  run.ahead.push_back(said.at.at - time.at);
  if (run.ahead.size() > kMeasured) run.ahead.pop_front();
  if (!is_new) return;
  for (auto& [name, other] : runs_) {
    if (name != said.run && other.last.node == said.node) other.replaced = true;
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
  own.unheard = !fresh(now);
  std::vector<NodeStanding> all = {std::move(own)};
  for (const auto& [name, run] : runs_) {
    if (run.replaced || now >= run.heard + kRemembered) continue;
    auto node = shown(run.last);
    const bool silent = now >= run.heard + kSilence;
    node.state = run.last.left ? NodeState::kLeft
                 : !silent     ? NodeState::kLive
                 : fresh(now)  ? NodeState::kDead
                               : NodeState::kUnknown;
    node.heard_at = run.heard_at;
    node.silent_for = std::chrono::duration_cast<std::chrono::milliseconds>(now - run.heard);
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
