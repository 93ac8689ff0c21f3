// Keeps over restarts how much of its limits everybody has used up, and how often each key was
// used. That is the node's own affair, and no part of the history.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"
#include "infra/rocksdb/rocks_store.h"

namespace tilth {

// Operation: each keep() adds an entry for each window that something was counted in, ordered by
// the last of its instants, and one for each key's use. It also erases some of the oldest entries
// that no window holds any more, so that the store follows the windows in size. Time is the
// service's, which may stand still or jump.
//
// Threads: copy_to() and what is said of entries from any, all else from one at a time.
//
// Crash: what keep() returned from is with the system, without fsync: a process that dies loses
// nothing of it, a power failure may cost the last seconds'.
class UsageStore {
 public:
  // Opens or makes the database.
  //
  //   kUnavailable  the directory cannot be made.
  //   kDamaged      the database cannot be opened.
  static Result<std::unique_ptr<UsageStore>> open(const std::filesystem::path& directory,
                                                  const RocksMemory& memory);
  ~UsageStore();

  // Gives `limiter`, which has counted nothing yet, what still lies in a window at `now`, and every
  // key's use. Erases what no window holds: what is older, and what lies further ahead than a
  // window is long, since another clock counted that.
  //
  //   kUnavailable  not all could be read, and the limiter may have been given a part.
  Status restore(RateLimiter& limiter, Timestamp now);

  // One batch: all or nothing.
  //
  //   kUnavailable  it could not be written. To be tried again, with these changes and later ones.
  Status keep(const std::vector<RateLimiter::Change>& changes, Timestamp now);

  // Entries that others keep next to these, under keys that begin with a letter of theirs (not c or
  // u): written and erased one at a time, and read in order of their keys.
  //
  //   kUnavailable  it could not be written, or not all could be read.
  Status keep_entry(std::string_view key, std::string_view value);
  Status forget_entry(std::string_view key);
  using EachEntry = std::function<void(std::string_view key, std::string_view value)>;
  Status read_entries(char letter, const EachEntry& each) const;

  // A copy that can be opened, of what was kept by now; `directory` must not exist.
  //
  //   kUnavailable  it could not be made.
  Status copy_to(const std::filesystem::path& directory) const;

 private:
  struct Database;

  explicit UsageStore(std::unique_ptr<Database> database);

  // Before these there is nothing any more: RocksDB is slow to pass what was erased.
  using SweptUntil = std::map<RatedBy, Timestamp>;

  const std::unique_ptr<Database> database_;
  SweptUntil swept_until_;
};

}  // namespace tilth
