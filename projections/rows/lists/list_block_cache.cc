#include "projections/rows/lists/list_block_cache.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kEntryBytes = 192;  // of the list and the hash table, for each block

std::size_t size_of(const ListBlock& block) { return kEntryBytes + block.bytes(); }

}  // namespace

ListBlockCache::Block ListBlockCache::find(const Key& key) {
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.places.find(key);
  if (found == shard.places.end()) return nullptr;
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return found->second->block;
}

void ListBlockCache::keep(const Key& key, Block block) {
  const auto size = size_of(*block);
  if (size > shard_bytes_) return;
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (shard.places.contains(key)) return;  // another reader was faster
  while (shard.bytes + size > shard_bytes_) {
    const auto& last = shard.entries.back();
    shard.bytes -= size_of(*last.block);
    shard.places.erase(last.key);
    shard.entries.pop_back();
  }
  shard.entries.push_front({key, std::move(block)});
  shard.places.emplace(key, shard.entries.begin());
  shard.bytes += size;
}

std::size_t ListBlockCache::bytes() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    all += shard.bytes;
  }
  return all;
}

}  // namespace tilth
