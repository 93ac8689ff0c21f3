#include "projections/rows/lists/list_count_cache.h"

#include <utility>

namespace tilth {

std::optional<std::uint32_t> ListCountCache::find(const Key& key) {
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.young.find(key); found != shard.young.end()) return found->second;
  const auto found = shard.old.find(key);
  if (found == shard.old.end()) return std::nullopt;
  const auto count = found->second;
  keep(shard, key, count);
  return count;
}

void ListCountCache::keep(const Key& key, std::uint32_t count) {
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  keep(shard, key, count);
}

void ListCountCache::keep(Shard& shard, const Key& key, std::uint32_t count) const {
  if (shard.young.size() >= half_) shard.old = std::exchange(shard.young, {});
  shard.young.emplace(key, count);
}

std::size_t ListCountCache::size() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    all += shard.young.size() + shard.old.size();
  }
  return all;
}

}  // namespace tilth
