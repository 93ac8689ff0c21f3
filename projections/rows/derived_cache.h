// Caches what was derived from the most-read rows, so that they are not read, decoded and rendered
// again for every reader.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "projections/rows/row_batch.h"
#include "projections/rows/row_store.h"

namespace tilth {

// A value that is derived from a row's bytes alone, and about how much memory it uses.
struct Derived {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};
using Derive = Derived (*)(std::string_view bytes);

// Exact: a reader of a state finds what was derived from that state's row, or nothing. An entry
// holds the state since which its row is the same, and is removed when a commit changes the row.
// What was read of a state is cached only while that state is the newest; otherwise a commit may
// have changed the row meanwhile.
//
// Memory: at most about `bytes`. Entries that were not used while half of that filled up are
// evicted.
//
// Threads: any; Commit and clear() belong to one.
class DerivedCache {
 public:
  // A committed state has an even number; while a commit is being written there is none.
  using State = std::uint64_t;
  static constexpr State kNoState = 1;

  explicit DerivedCache(std::size_t bytes) : young_bytes_(bytes / 2 / std::tuple_size_v<Shards>) {}

  // The state of a snapshot that is taken afterwards, if state() is then still the same.
  State state() const { return state_; }

  // Removes all entries, since the rows are replaced. Not during a commit.
  void clear();

  // What `how` makes of the bytes under `key` in that state, of which `rows` is a snapshot; null if
  // there are none. Always use the same `how` for a key.
  std::shared_ptr<const void> derive(const RowReader& rows, std::string_view key, Derive how,
                                     State state);

  std::shared_ptr<const void> find(std::string_view key, State state);
  void keep(std::string_view key, const Derived& derived, State state);

  // Exists while a commit is being written, whether or not it succeeds. One at a time.
  class Commit {
   public:
    Commit(DerivedCache& cache, const RowBatch::Changes& changes)
        : cache_(cache), changes_(changes) {
      ++cache_.state_;
    }
    ~Commit() {
      cache_.forget(changes_);
      ++cache_.state_;
    }
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;

   private:
    DerivedCache& cache_;
    const RowBatch::Changes& changes_;
  };

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };
  struct Entry {
    Derived derived;
    State since = 0;
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;
  struct alignas(64) Shard {
    std::mutex mutex;
    Entries young, old;
    std::size_t young_bytes = 0;
  };
  using Shards = std::array<Shard, 16>;

  static bool is_committed(State state) { return state % 2 == 0; }
  Shard& shard_of(std::string_view key) { return shards_[Hash{}(key) % shards_.size()]; }
  void forget(const RowBatch::Changes& changes);
  void erase(std::string_view key);
  void make_room(Shard& shard, std::size_t bytes) const;

  const std::size_t young_bytes_;  // of one shard
  std::atomic<State> state_ = 0;
  std::atomic<bool> used_ = false;  // there has been an entry
  Shards shards_;
};

struct ScanCache;

// The caches as a reader of one state sees them. Without a cache, everything is derived each time.
struct DerivedCacheView {
  DerivedCache* cache = nullptr;
  DerivedCache::State state = DerivedCache::kNoState;
  ScanCache* scanned = nullptr;

  std::shared_ptr<const void> derive(const RowReader& rows, std::string_view key,
                                     Derive how) const {
    if (cache != nullptr) return cache->derive(rows, key, how, state);
    const auto bytes = rows.get(key);
    return bytes ? how(*bytes).value : nullptr;
  }
};

}  // namespace tilth
