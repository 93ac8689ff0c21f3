#include "infra/rocksdb/row_cache.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kEntryBytes = 128;  // of the tables, for each

std::size_t size_of(std::string_view key, const Made& made) {
  return kEntryBytes + key.size() + made.bytes;
}

}  // namespace

std::shared_ptr<const void> RowCache::find(std::string_view key, State state) {
  if (!is_committed(state)) return nullptr;
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  auto found = shard.young.find(key);
  if (found == shard.young.end()) {
    const auto aged = shard.old.find(key);
    if (aged == shard.old.end()) return nullptr;
    auto node = shard.old.extract(aged);
    make_room(shard, size_of(key, node.mapped().made));
    found = shard.young.insert(std::move(node)).position;
  }
  return found->second.since <= state ? found->second.made.value : nullptr;
}

void RowCache::keep(std::string_view key, const Made& made, State state) {
  const auto size = size_of(key, made);
  if (!is_committed(state) || size > young_bytes_) return;
  used_ = true;  // before the state is looked at, so that a commit that ends later sees it
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  // Under the lock, so that a commit that begins now finds the entry when it ends.
  if (state_ != state) return;
  make_room(shard, size);
  shard.young.insert_or_assign(std::string(key), Entry{made, state});
}

void RowCache::make_room(Shard& shard, std::size_t bytes) const {
  if (shard.young_bytes + bytes > young_bytes_) {
    shard.old = std::exchange(shard.young, {});
    shard.young_bytes = 0;
  }
  shard.young_bytes += bytes;
}

void RowCache::end_commit(const RowBatch::Changes& changes) {
  if (used_) {
    for (const auto& [key, value] : changes) erase(key);
  }
  ++state_;
}

void RowCache::erase(std::string_view key) {
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  for (auto* entries : {&shard.young, &shard.old}) {
    if (const auto found = entries->find(key); found != entries->end()) entries->erase(found);
  }
}

}  // namespace tilth
