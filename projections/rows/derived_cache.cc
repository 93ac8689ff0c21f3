#include "projections/rows/derived_cache.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kEntryBytes = 128;  // of the hash tables, for each entry

std::size_t size_of(std::string_view key, const Derived& derived) {
  return kEntryBytes + key.size() + derived.bytes;
}

}  // namespace

std::shared_ptr<const void> DerivedCache::derive(const RowReader& rows, std::string_view key,
                                                 Derive how, State state) {
  if (auto kept = find(key, state)) return kept;
  const auto bytes = rows.get(key);
  if (!bytes) return nullptr;
  auto derived = how(*bytes);
  keep(key, derived, state);
  return std::move(derived.value);
}

std::shared_ptr<const void> DerivedCache::find(std::string_view key, State state) {
  if (!is_committed(state)) return nullptr;
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  auto found = shard.young.find(key);
  if (found == shard.young.end()) {
    const auto aged = shard.old.find(key);
    if (aged == shard.old.end()) return nullptr;
    auto node = shard.old.extract(aged);
    make_room(shard, size_of(key, node.mapped().derived));
    found = shard.young.insert(std::move(node)).position;
  }
  return found->second.since <= state ? found->second.derived.value : nullptr;
}

void DerivedCache::keep(std::string_view key, const Derived& derived, State state) {
  const auto size = size_of(key, derived);
  if (!is_committed(state) || size > young_bytes_) return;
  used_ = true;  // before state_ is read, so that a commit that ends later sees it
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  // Under the lock, so that a commit that begins now finds the entry when it ends.
  if (state_ != state) return;
  make_room(shard, size);
  shard.young.insert_or_assign(std::string(key), Entry{derived, state});
}

void DerivedCache::make_room(Shard& shard, std::size_t bytes) const {
  if (shard.young_bytes + bytes > young_bytes_) {
    shard.old = std::exchange(shard.young, {});
    shard.young_bytes = 0;
  }
  shard.young_bytes += bytes;
}

void DerivedCache::forget(const RowBatch::Changes& changes) {
  if (!used_) return;
  for (const auto& [key, value] : changes) erase(key);
}

void DerivedCache::clear() {
  ++state_;
  for (auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.young.clear(), shard.old.clear();
    shard.young_bytes = 0;
  }
  ++state_;
}

void DerivedCache::erase(std::string_view key) {
  auto& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  for (auto* entries : {&shard.young, &shard.old}) {
    if (const auto found = entries->find(key); found != entries->end()) entries->erase(found);
  }
}

}  // namespace tilth
