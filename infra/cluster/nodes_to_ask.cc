#include "infra/cluster/nodes_to_ask.h"

#include <algorithm>
#include <utility>

namespace tilth {

NodesToAsk::NodesToAsk(std::vector<std::string> nodes, bool may_be_repeated)
    : nodes_(std::move(nodes)), may_be_repeated_(may_be_repeated) {
  std::ranges::reverse(nodes_);
}

std::optional<std::string> NodesToAsk::next() {
  if (nodes_.empty()) return std::nullopt;
  auto node = std::move(nodes_.back());
  nodes_.pop_back();
  return node;
}

NodesToAsk::Step NodesToAsk::on_lost(bool may_be_done, bool is_here,
                                     const std::function<std::vector<std::string>()>& others) {
  if (may_be_done && !may_be_repeated_) return Step::kUnknown;
  if (is_here) return Step::kHere;
  if (nodes_.empty() && !std::exchange(has_looked_again_, true)) {
    nodes_ = others();
    std::ranges::reverse(nodes_);
  }
  return Step::kAsk;
}

}  // namespace tilth
