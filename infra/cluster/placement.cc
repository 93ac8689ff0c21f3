#include "infra/cluster/placement.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tilth {
namespace {

std::uint64_t hash_of(std::string_view id) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

// SplitMix64.
std::uint64_t random_of(std::uint64_t seed, std::uint64_t step) {
  seed += step * 0x9E3779B97F4A7C15U;
  seed = (seed ^ (seed >> 30U)) * 0xBF58476D1CE4E5B9U;
  seed = (seed ^ (seed >> 27U)) * 0x94D049BB133111EBU;
  return seed ^ (seed >> 31U);
}

// The weights of a node for all partitions: the place of each in a shuffle (Fisher and Yates), and
// random bits, since the places of two nodes may be equal.
std::vector<std::uint64_t> weights_of(std::string_view node, std::size_t partitions) {
  const auto seed = hash_of(node);
  std::vector<std::uint64_t> weights(partitions);
  for (std::size_t i = 0; i < partitions; ++i) weights[i] = std::uint64_t{i} << 32U;
  for (auto i = partitions; i-- > 0;) {
    const auto random = random_of(seed, i);
    std::swap(weights[i], weights[((random >> 32U) * (i + 1)) >> 32U]);
    weights[i] |= random & UINT32_MAX;
  }
  return weights;
}

// One of two, by index, that go together. Of equal weights the lower index is better.
struct Match {
  std::uint64_t weight = 0;
  int other = 0;

  bool better_than(const Match& match) const {
    return weight > match.weight || (weight == match.weight && other < match.other);
  }
};

// By node and partition.
using Weights = std::vector<std::vector<std::uint64_t>>;

// The nodes in the order in which a partition asks them, worked out a few at a time.
class Asking {
 public:
  // Another node that it may ask. Each is offered once, before the first is asked.
  void offer(const Match& node) {
    if (found_ == best_.size() && !node.better_than(best_.back())) return;
    found_ = std::min(found_ + 1, best_.size());
    auto at = found_ - 1;
    for (; at > 0 && node.better_than(best_[at - 1]); --at) best_[at] = best_[at - 1];
    best_[at] = node;
  }

  // Null: it has asked all of them.
  const Match* next(const Weights& weights, std::size_t partition) {
    if (asked_ == best_.size()) {
      const auto last = best_.back();
      asked_ = found_ = 0;
      for (std::size_t node = 0; node < weights.size(); ++node) {
        const Match match{weights[node][partition], static_cast<int>(node)};
        if (last.better_than(match)) offer(match);
      }
    }
    return asked_ < found_ ? &best_.at(asked_++) : nullptr;
  }

 private:
  std::array<Match, 4> best_ = {};
  std::size_t asked_ = 0, found_ = 0;
};

// What a node holds: a heap whose front is what it gives up first.
class Held {
 public:
  // Returns the partition that finds no place, -1 if all do.
  int add(const Match& partition, std::size_t most) {
    const auto worst_first = [](const auto& a, const auto& b) { return a.better_than(b); };
    held_.push_back(partition);
    std::push_heap(held_.begin(), held_.end(), worst_first);
    if (held_.size() <= most) return -1;
    std::pop_heap(held_.begin(), held_.end(), worst_first);
    const int given_up = held_.back().other;
    held_.pop_back();
    return given_up;
  }

  const std::vector<Match>& all() const { return held_; }

 private:
  std::vector<Match> held_;
};

// Who holds each partition, by partition, when each has asked for `copies` nodes and none holds
// more than `most`. A partition that all nodes outside its holders have turned away has fewer.
std::vector<std::vector<Match>> matched(const Weights& weights, std::size_t partitions,
                                        std::size_t copies, std::size_t most) {
  std::vector<Asking> asking(partitions);
  std::vector<int> to_ask;  // a partition for each of its copies that has no place
  for (std::size_t partition = 0; partition < partitions; ++partition) {
    for (std::size_t node = 0; node < weights.size(); ++node) {
      asking[partition].offer({weights[node][partition], static_cast<int>(node)});
    }
    to_ask.insert(to_ask.end(), copies, static_cast<int>(partition));
  }
  std::vector<Held> held(weights.size());
  while (!to_ask.empty()) {
    const int partition = to_ask.back();
    to_ask.pop_back();
    const auto index = static_cast<std::size_t>(partition);
    const auto* node = asking[index].next(weights, index);
    if (node == nullptr) continue;
    const int given_up =
        held[static_cast<std::size_t>(node->other)].add({node->weight, partition}, most);
    if (given_up >= 0) to_ask.push_back(given_up);
  }
  std::vector<std::vector<Match>> holders(partitions);
  for (std::size_t node = 0; node < held.size(); ++node) {
    for (const auto& [weight, partition] : held[node].all()) {
      holders[static_cast<std::size_t>(partition)].push_back({weight, static_cast<int>(node)});
    }
  }
  return holders;
}

// The best node for a partition of those that do not hold it.
Match best_beyond(const std::vector<Match>& holders, const Weights& weights,
                  std::size_t partition) {
  std::optional<Match> best;
  for (std::size_t node = 0; node < weights.size(); ++node) {
    const Match match{weights[node][partition], static_cast<int>(node)};
    const auto is_it = [&](const Match& holder) { return holder.other == match.other; };
    if (std::any_of(holders.begin(), holders.end(), is_it)) continue;
    if (!best || match.better_than(*best)) best = match;
  }
  return best.value();
}

}  // namespace

Placement::Placement(std::vector<std::string> nodes, int partitions, int copies)
    : nodes_(std::move(nodes)), partitions_(partitions) {
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  copies_ = std::min(static_cast<std::size_t>(std::max(copies, 0)), nodes_.size());
  const auto count = static_cast<std::size_t>(partitions);
  const auto all = count * copies_;
  if (all == 0) return;
  most_held_ = std::max((all + nodes_.size() - 1) / nodes_.size(), all * 115 / 100 / nodes_.size());
  Weights weights;
  for (const auto& node : nodes_) weights.push_back(weights_of(node, count));
  auto holders = matched(weights, count, copies_, most_held_);
  for (std::size_t partition = 0; partition < count; ++partition) {
    auto& its = holders[partition];
    // A copy counts for more than the bound.
    while (its.size() < copies_) its.push_back(best_beyond(its, weights, partition));
    std::sort(its.begin(), its.end(),
              [](const auto& a, const auto& b) { return a.better_than(b); });
    for (const auto& match : its) holders_.push_back(match.other);
  }
}

std::span<const int> Placement::holders_of(int partition) const {
  return std::span(holders_).subspan(static_cast<std::size_t>(partition) * copies_, copies_);
}

std::vector<int> Placement::held_by(std::string_view node) const {
  std::vector<int> held;
  for (int partition = 0; partition < partitions_; ++partition) {
    const auto holders = holders_of(partition);
    const auto holds = [&](int holder) { return nodes_[static_cast<std::size_t>(holder)] == node; };
    if (std::any_of(holders.begin(), holders.end(), holds)) held.push_back(partition);
  }
  return held;
}

}  // namespace tilth
