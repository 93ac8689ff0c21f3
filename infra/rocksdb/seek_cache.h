// Caches the gaps between the keys of a database. Ranked indexes often seek the end of the block
// that an entry falls into, and a seek in a database of many files costs more than all other work
// for an entry.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "infra/rocksdb/shared_map.h"

namespace tilth {

// Where seeks ended. Valid as long as apply() receives every change of the database. It is also
// valid while a layer is being written to the database: readers see that layer's changes in the
// layer itself.
//
// Belongs to one thread.
class SeekCache {
 public:
  explicit SeekCache(std::size_t bytes) : capacity_(bytes) {}

  // The first key at or after `key`, valid until the next change; null if it is not known.
  const std::string* find(std::string_view key) const;

  // A seek of `key` ended at `end`.
  void keep(std::string_view key, std::string_view end);

  // The database has changed in any other way.
  void clear() { seek_cache_.clear(), bytes_ = 0; }

  // A layer was written to the database.
  void apply(const SharedMap& layer);

 private:
  const std::size_t capacity_;
  std::map<std::string, std::string, std::less<>> seek_cache_;  // each gap's beginning, by its end
  std::size_t bytes_ = 0;                                       // what they take at most, about
};

}  // namespace tilth
