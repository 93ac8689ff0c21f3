// Keeps what was made of the rows that are asked for most, so that they are not read, decoded and
// rendered again for every reader.

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

// Exact: a reader of a state finds what is made of that state's row, or nothing. An entry says
// since which state its row is so, and goes when a commit changes the row. What was read of a state
// is kept only while that state is the newest, otherwise a commit may have changed the row
// meanwhile.
//
// Memory: at most about `bytes`. What was not asked for while half of that filled up goes.
//
// Threads: any; begin_commit() and end_commit() from one.
class RowCache {
 public:
  // A committed state, by an even number; while a commit is being written there is none.
  using State = std::uint64_t;

  explicit RowCache(std::size_t bytes) : young_bytes_(bytes / 2 / std::tuple_size_v<Shards>) {}

  // Of a snapshot that is taken after it. No commit may begin between the two.
  State state() const { return state_; }

  std::shared_ptr<const void> find(std::string_view key, State state);
  void keep(std::string_view key, const Made& made, State state);

  // Around the write of a commit, whether or not it succeeds.
  void begin_commit() { ++state_; }
  void end_commit(const RowBatch::Changes& changes);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };
  struct Entry {
    Made made;
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
  void erase(std::string_view key);
  void make_room(Shard& shard, std::size_t bytes) const;

  const std::size_t young_bytes_;  // of one shard
  std::atomic<State> state_ = 0;
  std::atomic<bool> used_ = false;  // there has been an entry
  Shards shards_;
};

}  // namespace tilth
