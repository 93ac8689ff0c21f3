// The embedded log's records on disk, and where each of their streams stands: one RocksDB.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "infra/embedded/directory_lock.h"
#include "infra/embedded/record_store_options.h"

namespace rocksdb {
class Cache;
class Env;
}  // namespace rocksdb

namespace tilth {

class RecordDatabase;

// A whole log in tables: files of sorted records that follow one another, and one of versions.
struct RecordTables {
  std::vector<std::filesystem::path> records;
  std::filesystem::path versions;
  std::int64_t count = 0;
};

// Records lie under their offsets, without gaps, in the column family `default`; the streams'
// versions, 8 bytes little-endian, in `versions`. A group of records, with the versions that it
// leads to, is one write, synced by itself.
//
// Threads: page() and copy_to() from any; the rest belongs to one thread.
// Crash: what write() answered kDone to stays, over a power failure too. A write that had not
// ended is there whole, or is torn: it is cut at the next opening, and said. Anything else that
// is missing or does not match its checksum, in the middle as well, is named and never skipped.
// After a write that failed, nothing is written until reopen() succeeds; page() goes on, from a
// database opened for reading if there is no other.
class RecordStore {
 public:
  // kUnavailable: it is open elsewhere or the disk refuses. kDamaged: something acknowledged is
  // missing or unreadable, and named. Each message is one plain sentence.
  static Result<std::unique_ptr<RecordStore>> open(const std::filesystem::path& directory,
                                                   RecordStoreOptions options);
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;
  ~RecordStore();

  // The offset after the last record.
  std::int64_t end() const { return end_; }

  // Where a stream stands; 0 if it was never written. kUnavailable; kDamaged.
  Result<std::uint64_t> version(std::string_view stream);

  // Stores records that begin at end(), and moves their streams' versions, with one sync.
  // kUnavailable: the outcome is not known before reopen() has succeeded.
  Status write(const std::vector<std::shared_ptr<const LoggedRecord>>& records);

  // Makes the tables, which go, all that an empty store holds. At once, and durable.
  // kConflict: it is not empty. kUnavailable: nothing was taken in.
  Status adopt(const RecordTables& tables);

  // Opens the database again, as after a crash. Ask for end() and versions again. Fails as open()
  // does, and may be tried again.
  Status reopen();

  // At most `limit` records from `offset` on, of those before `end`; a few MiB of them at most,
  // and at least one. kUnavailable: cannot be read now. kDamaged: the first of them is; its
  // position and what is wrong with it are named.
  Result<std::vector<LoggedRecord>> page(std::int64_t offset, std::int64_t end, std::size_t limit);

  // Makes `directory`, which must not exist, a store with all that is durable now, and perhaps some
  // of what comes meanwhile. kUnavailable: it exists or the disk refuses; nothing is left there.
  Status copy_to(const std::filesystem::path& directory);

 private:
  RecordStore(std::filesystem::path directory, RecordStoreOptions options,
              std::unique_ptr<DirectoryLock> lock);
  Status examine();

  const std::filesystem::path directory_;
  const RecordStoreOptions options_;
  const std::unique_ptr<DirectoryLock> lock_;
  std::shared_mutex reopening_;  // held shared to read in database_, alone to replace it
  std::unique_ptr<RecordDatabase> database_;
  std::int64_t end_ = 0;
};

}  // namespace tilth
