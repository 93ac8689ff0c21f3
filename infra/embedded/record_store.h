// The embedded log's records and the versions of their streams on disk, in one RocksDB.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "infra/embedded/directory_lock.h"
#include "infra/embedded/log_archive.h"
#include "infra/embedded/record_store_options.h"

namespace rocksdb {
class Cache;
class Env;
}  // namespace rocksdb

namespace tilth {

class RecordDatabase;

// A whole log as tables: consecutive files of sorted records, and one file of versions.
struct RecordTables {
  std::vector<std::filesystem::path> records;
  std::filesystem::path versions;
  std::int64_t count = 0;
};

// Which records to archive, and where.
struct ArchiveOrder {
  std::filesystem::path directory;
  std::int64_t end = 0;                    // records before this offset
  std::optional<Timestamp> before = {};    // the first record of this time or later ends it, too
  std::uintmax_t file_bytes = 256U << 20;  // of records in one file, before compression
  // Called after each step, with its name and how far the archive reaches; false ends it there.
  std::function<bool(std::string_view step, std::int64_t reached)> goes_on = [](auto, auto) {
    return true;
  };
};

// Records are stored by offset, without gaps, in the column family `default`; the streams'
// versions, 8 bytes little-endian, in `versions`. A group of records and the resulting versions is
// one write with its own sync.
//
// The beginning of the log may be archived: in files outside the database, which has their list.
//
// Threads: page() and copy_to() from any, archive() from any one at a time; the rest from one
// thread.
//
// Crash: records for which write() returned kDone survive, even a power failure. An unfinished
// write is either complete or torn: a torn one is cut at the next open(), which logs it. Anything
// else that is missing or does not match its checksum, in the middle as well, is reported and never
// skipped.
//
// Whether the log is sealed is chosen with its first record, and stays so.
//
// After a failed write nothing is written until reopen() succeeds; page() continues to work, with a
// read-only database if there is no other.
class RecordStore {
 public:
  // kUnavailable: it is open elsewhere, or a disk error. kDamaged: an acknowledged record is
  // missing or unreadable; the message names it. Each message is one plain sentence.
  static Result<std::unique_ptr<RecordStore>> open(const std::filesystem::path& directory,
                                                   RecordStoreOptions options);
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;
  ~RecordStore();

  // The offset after the last record.
  std::int64_t end() const { return end_; }

  // Threads: any.
  bool is_sealed() const { return sealed_; }

  // Appends `record` to `bytes`, as this log stores it at `offset`. Threads: any. kUnavailable: the
  // owner's key cannot be read or, as `fresh` says (OwnerKeys::seal()), made durable.
  Status encode(std::int64_t offset, const Record& record, NewKeys fresh, std::string& bytes) const;

  // A stream's version; 0 if it was never written. kUnavailable; kDamaged.
  Result<std::uint64_t> version(std::string_view stream);

  // Stores records that begin at end(), as encode() has made each, and updates their streams'
  // versions, with one sync. kUnavailable: the outcome is unknown until reopen() has succeeded.
  Status write(const std::vector<LoggedRecord>& records, const std::vector<std::string>& encoded);

  // Moves the tables into an empty store. Atomic and durable. kConflict: it is not empty.
  // kUnavailable: nothing was adopted.
  Status adopt(const RecordTables& tables);

  // Whether a write of archive() failed. RocksDB cannot go on then, and may end the process:
  // write() and archive() need reopen() before. Threads: any.
  bool has_failed() const { return has_failed_; }

  // Opens the database again, as after a crash. Read end() and the versions again afterwards. Fails
  // as open() does, and may be retried.
  Status reopen();

  // At most `limit` records from `offset` on and before `end`: at least one, and at most a few MiB.
  // kUnavailable: they cannot be read now. kDamaged: the first of them is damaged; the message
  // names its position and what is wrong with it.
  Result<std::vector<LoggedRecord>> page(std::int64_t offset, std::int64_t end, std::size_t limit);

  // Copies all that is durable now, and perhaps some later records, to a store in `directory`,
  // which must not exist. kUnavailable: it exists, or a disk error; nothing is left there.
  Status copy_to(const std::filesystem::path& directory);

  // Moves the oldest records to files in `order.directory`, and returns how far the archive now
  // reaches. A record is removed from the database in the same write that lists its file, which
  // was read back from the disk before, and put into the store if there is one. Files of earlier
  // calls that are not in the store are put there first. `end`: the end of the log.
  //
  // Crash: what the list does not have is still in the database.
  //
  //   kInvalid      there is no such directory.
  //   kConflict     a file is in the way that holds other records.
  //   kDamaged      a record is; it and those after it stay where they are.
  //   kUnavailable  a disk error, the store, or `goes_on` ended it. What was archived before stays
  //                 so.
  Result<std::int64_t> archive(const ArchiveOrder& order, std::int64_t end);

  // Threads: any.
  const LogArchive& archived() const { return archive_; }
  Status look_at_archive() { return archive_.look(); }

 private:
  RecordStore(std::filesystem::path directory, RecordStoreOptions options,
              std::unique_ptr<DirectoryLock> lock);
  Status examine();
  Status find_out_whether_sealed();
  Result<std::optional<ArchivedFile>> write_archive_file(const ArchiveOrder& order,
                                                         std::int64_t end);
  Status put_into_store(ArchivedFile& file, const std::filesystem::path& from) const;
  Status store_earlier(const ArchiveOrder& order);
  Status list_archived(const std::vector<ArchivedFile>& files);

  const std::filesystem::path directory_;
  const RecordStoreOptions options_;
  const std::unique_ptr<DirectoryLock> lock_;
  std::shared_mutex reopening_;  // shared to read database_, exclusive to replace it
  std::unique_ptr<RecordDatabase> database_;
  mutable LogArchive archive_;
  std::int64_t end_ = 0;
  std::atomic<bool> sealed_ = false, has_failed_ = false;
};

}  // namespace tilth
