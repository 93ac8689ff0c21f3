// Persists over restarts how much of each limit is used up, and how often each key was used. Local
// to the node, and no part of the history.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"
#include "infra/rocksdb/rocks_store.h"

namespace rocksdb {
class Env;
}

namespace tilth {

// Operation: each keep() adds an entry for each window in which something was counted, ordered by
// the last of its instants, and one for each key's use, here and on each other node. It also erases
// some of the oldest entries that are outside every window, so that the store's size follows that
// of the windows. Time is the service clock's, which may stand still or jump.
//
// Threads: keep() and restore() from one at a time, all else from any.
//
// Crash: once keep() has returned, the operating system has the batch, without fsync: a process
// crash loses nothing of it, a power failure may lose the last seconds.
class UsageStore {
 public:
  // Opens or creates the database. `env`, if any, must outlive it.
  //
  //   kUnavailable  the directory cannot be created, or the database cannot be opened.
  //   kDamaged      the same, because its files are damaged.
  static Result<std::unique_ptr<UsageStore>> open(const std::filesystem::path& directory,
                                                  const RocksMemory& memory,
                                                  rocksdb::Env* env = nullptr);
  ~UsageStore();

  // Loads into `limiter`, which has counted nothing yet, the counts that are in a window at `now`,
  // and every key's use, here and elsewhere. Erases counts outside every window: older ones, and
  // those further ahead than a window is long, since another clock counted them.
  //
  //   kUnavailable, kDamaged  not all could be read, and the limiter may have received a part.
  Status restore(RateLimiter& limiter, Timestamp now);

  // One batch: all or nothing.
  //
  //   kUnavailable  it could not be written. Retry with these changes and later ones.
  Status keep(const std::vector<RateLimiter::Change>& changes, Timestamp now);

  // Totals of keys on other nodes. One with a NUL in a name is left out.
  //
  //   kUnavailable  they could not be written.
  Status keep(const std::vector<RateLimiter::UseElsewhere>& totals);

  // Entries of other stores in this database, under keys that begin with a letter of their own (not
  // c, e or u), read in key order. change_entries() writes and erases all or nothing; an entry
  // without a value is erased. read_between() ends before `end`, and once `each` returns false.
  //
  //   kUnavailable  it could not be written, or not all could be read.
  //   kDamaged      not all could be read, because the files are damaged.
  Status keep_entry(std::string_view key, std::string_view value);
  Status forget_entry(std::string_view key);
  using EachEntry = std::function<void(std::string_view key, std::string_view value)>;
  Status read_entries(char letter, const EachEntry& each) const;
  using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;
  Status change_entries(const Changes& changes);
  Result<std::optional<std::string>> find_entry(std::string_view key) const;
  using NextEntry = std::function<bool(std::string_view key, std::string_view value)>;
  Status read_between(std::string_view begin, std::string_view end, const NextEntry& each) const;

  // Rewrites the files, so that nothing of what was erased is left in them. kUnavailable.
  Status compact();

  // Makes a copy that can be opened, of all that is stored by now; `directory` must not exist.
  //
  //   kUnavailable  it could not be made.
  Status copy_to(const std::filesystem::path& directory) const;

 private:
  struct Database;

  explicit UsageStore(std::unique_ptr<Database> database);

  // No entries exist before these times: RocksDB is slow to skip tombstones.
  using SweptUntil = std::map<RatedBy, Timestamp>;

  const std::unique_ptr<Database> database_;
  SweptUntil swept_until_;
};

}  // namespace tilth
