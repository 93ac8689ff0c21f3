// Keeps blocks of large lists that queries with several conditions have read.

#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "projections/rows/lists/list_block.h"
#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// Blocks are found by their content: whatever state of the rows a reader sees, a block with the
// same entries has the same columns, so nothing has to be removed when rows change.
//
// Memory: at most about `bytes`; the least recently used go first.
//
// Threads: any.
class ListBlockCache {
 public:
  struct Key {
    RankedCount count;           // of the entries
    ListBlock::Columns columns;  // of a list's entries: one list has the same numbers everywhere

    friend bool operator==(const Key& a, const Key& b) {
      return a.count.content == b.count.content && a.count.entries == b.count.entries &&
             a.columns.first == b.columns.first && a.columns.count == b.columns.count;
    }
  };
  using Block = std::shared_ptr<const ListBlock>;

  explicit ListBlockCache(std::size_t bytes) : shard_bytes_(bytes / std::tuple_size_v<Shards>) {}

  Block find(const Key& key);  // null: it is not here
  void keep(const Key& key, Block block);

  std::size_t bytes() const;  // in use, about

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return key.count.content.low ^ key.columns.first;
    }
  };
  struct Entry {
    Key key;
    Block block;
  };
  using Entries = std::list<Entry>;
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Entries entries;  // the most recently used one first
    std::unordered_map<Key, Entries::iterator, Hash> places;
    std::size_t bytes = 0;
  };
  using Shards = std::array<Shard, 16>;

  Shard& shard_of(const Key& key) { return shards_[key.count.content.high % shards_.size()]; }

  const std::size_t shard_bytes_;
  Shards shards_;
};

}  // namespace tilth
