#include "infra/rocksdb/seek_cache.h"

namespace tilth {
namespace {

constexpr std::size_t kOverhead = 128;  // what the map and the allocator add

}  // namespace

const std::string* SeekCache::find(std::string_view key) const {
  const auto gap = seek_cache_.lower_bound(key);
  return gap != seek_cache_.end() && gap->second <= key ? &gap->first : nullptr;
}

// Called after a miss of find(): a known gap with this end begins earlier than was known.
void SeekCache::keep(std::string_view key, std::string_view end) {
  if (const auto gap = seek_cache_.find(end); gap != seek_cache_.end()) {
    gap->second = key;
    return;
  }
  if (bytes_ >= capacity_) seek_cache_.clear(), bytes_ = 0;
  bytes_ += key.size() + end.size() + kOverhead;
  seek_cache_.emplace(end, key);
}

// Both are sorted: one pass.
void SeekCache::apply(const SharedMap& layer) {
  SharedMap::Cursor change(layer);
  auto gap = seek_cache_.begin();
  for (change.seek({}); change.valid(); change.next()) {
    while (gap != seek_cache_.end() && gap->first < change.key()) ++gap;
    if (gap == seek_cache_.end()) return;
    if (gap->first == change.key()) {
      if (!change.value()) gap = seek_cache_.erase(gap);
    } else if (change.value() && gap->second <= change.key()) {
      gap->second.assign(change.key()).append(1, '\0');
    }
  }
}

}  // namespace tilth
