#include "infra/rocksdb/known_gaps.h"

namespace tilth {
namespace {

constexpr std::size_t kOverhead = 128;  // what the map and the allocator add

}  // namespace

const std::string* KnownGaps::find(std::string_view key) const {
  const auto gap = gaps_.lower_bound(key);
  return gap != gaps_.end() && gap->second <= key ? &gap->first : nullptr;
}

// It is asked for where find() knew nothing: the gap begins earlier than it was known to.
void KnownGaps::keep(std::string_view key, std::string_view end) {
  if (const auto gap = gaps_.find(end); gap != gaps_.end()) {
    gap->second = key;
    return;
  }
  if (bytes_ >= capacity_) gaps_.clear(), bytes_ = 0;
  bytes_ += key.size() + end.size() + kOverhead;
  gaps_.emplace(end, key);
}

// Both are in order: one walk.
void KnownGaps::apply(const SharedMap& layer) {
  SharedMap::Cursor change(layer);
  auto gap = gaps_.begin();
  for (change.seek({}); change.valid(); change.next()) {
    while (gap != gaps_.end() && gap->first < change.key()) ++gap;
    if (gap == gaps_.end()) return;
    if (gap->first == change.key()) {
      if (!change.value()) gap = gaps_.erase(gap);
    } else if (change.value() && gap->second <= change.key()) {
      gap->second.assign(change.key()).append(1, '\0');
    }
  }
}

}  // namespace tilth
