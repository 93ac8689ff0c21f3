// Between which keys of a database there is nothing. Ranked indexes look for the end of the block
// that an entry falls into again and again, and a seek in a database of many files costs more than
// all else that is done with an entry.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "infra/rocksdb/shared_map.h"

namespace tilth {

// Where seeks ended, as long as the database is changed by what apply() hears of alone. What it
// knows is also right while a layer that lies over the database comes into it: the layer itself
// says what it changes.
//
// Belongs to one thread.
class SeekCache {
 public:
  explicit SeekCache(std::size_t bytes) : capacity_(bytes) {}

  // The first key that is not before `key`, good until the next change; null where it is not known.
  const std::string* find(std::string_view key) const;

  // A seek of `key` ended at `end`.
  void keep(std::string_view key, std::string_view end);

  // The database has become another one.
  void clear() { seek_cache_.clear(), bytes_ = 0; }

  // A layer has come into the database.
  void apply(const SharedMap& layer);

 private:
  const std::size_t capacity_;
  std::map<std::string, std::string, std::less<>> seek_cache_;  // where each begins, by its end
  std::size_t bytes_ = 0;                                       // about what they hold, or more
};

}  // namespace tilth
