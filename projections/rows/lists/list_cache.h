// Keeps what queries have derived from parts of large lists.

#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// What is derived is found by the content of the part: whatever state of the rows a reader sees,
// the same entries lead to the same value, so nothing has to be removed when rows change. `Which`
// tells several values of one content apart. `Value` has bytes(), its approximate memory use.
//
// Memory: at most about `bytes`; the least recently used go first.
//
// Threads: any.
template <class Which, class Value>
class ListCache {
 public:
  struct Key {
    RankedCount part;  // of a list that is fingerprinted
    Which which;

    friend bool operator==(const Key& a, const Key& b) {
      return a.part.content == b.part.content && a.part.entries == b.part.entries &&
             a.which == b.which;
    }
  };
  using Kept = std::shared_ptr<const Value>;

  explicit ListCache(std::size_t bytes) : shard_bytes_(bytes / std::tuple_size_v<Shards>) {}

  // Null: it is not here.
  Kept find(const Key& key) {
    auto& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(key);
    if (found == shard.places.end()) return nullptr;
    shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
    return found->second->value;
  }

  void keep(const Key& key, Kept value) {
    const auto size = size_of(*value);
    if (size > shard_bytes_) return;
    auto& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (shard.places.contains(key)) return;  // another reader was faster
    while (shard.bytes + size > shard_bytes_) {
      const auto& last = shard.entries.back();
      shard.bytes -= size_of(*last.value);
      shard.places.erase(last.key);
      shard.entries.pop_back();
    }
    shard.entries.push_front({key, std::move(value)});
    shard.places.emplace(key, shard.entries.begin());
    shard.bytes += size;
  }

  std::size_t bytes() const {  // in use, about
    std::size_t all = 0;
    for (const auto& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      all += shard.bytes;
    }
    return all;
  }

 private:
  static constexpr std::size_t kEntryBytes = 192;  // of the list and the hash table, for each value

  struct Hash {
    std::size_t operator()(const Key& key) const { return key.part.content.low; }
  };
  struct Entry {
    Key key;
    Kept value;
  };
  using Entries = std::list<Entry>;
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Entries entries;  // the most recently used one first
    std::unordered_map<Key, typename Entries::iterator, Hash> places;
    std::size_t bytes = 0;
  };
  using Shards = std::array<Shard, 16>;

  static std::size_t size_of(const Value& value) { return kEntryBytes + value.bytes(); }
  Shard& shard_of(const Key& key) { return shards_[key.part.content.high % shards_.size()]; }

  const std::size_t shard_bytes_;
  Shards shards_;
};

}  // namespace tilth
