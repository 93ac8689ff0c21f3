// Keeps how many entries of a section or a run of a list meet the conditions of a query.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// Counts are found by the content of what is counted, as blocks are (list_cache.h). So a list of
// a million that is asked for twice is counted once, and after a change one section of it.
//
// Memory: about 64 bytes for each count, `most` of them. Those that were not looked up for longest
// go first, half of them at a time.
//
// Threads: any.
class ListCountCache {
 public:
  struct Key {
    RankedCount counted;
    Fingerprint conditions;

    friend bool operator==(const Key& a, const Key& b) {
      return a.counted.content == b.counted.content && a.counted.entries == b.counted.entries &&
             a.conditions == b.conditions;
    }
  };

  explicit ListCountCache(std::size_t most) : half_(most / std::tuple_size_v<Shards> / 2) {}

  std::optional<std::uint32_t> find(const Key& key);
  void keep(const Key& key, std::uint32_t count);

  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return key.counted.content.low ^ key.conditions.low;
    }
  };
  using Counts = std::unordered_map<Key, std::uint32_t, Hash>;
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Counts young, old;
  };
  using Shards = std::array<Shard, 16>;

  Shard& shard_of(const Key& key) {
    return shards_[(key.counted.content.high ^ key.conditions.high) % shards_.size()];
  }
  void keep(Shard& shard, const Key& key, std::uint32_t count) const;

  const std::size_t half_;  // of what a shard keeps
  Shards shards_;
};

}  // namespace tilth
