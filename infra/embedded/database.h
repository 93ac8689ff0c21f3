// The RocksDB setup of the embedded log. For the .cc files of this folder only: it includes
// RocksDB.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <rocksdb/db.h>

#include "events/log/event_log.h"
#include "events/values/result.h"
#include "infra/embedded/archived_files.h"
#include "infra/embedded/record_store_options.h"
#include "infra/embedded/wal_scan.h"

namespace tilth {

// The options for tables that a RecordStore can adopt.
rocksdb::Options record_table_options();

// An open database and its column families. Closing it flushes nothing: the write-ahead log has
// everything that the tables lack.
class RecordDatabase {
 public:
  // kReadingTables: for has_record() of a log whose last write may be torn. What is damaged in the
  // write-ahead logs is passed over.
  enum class For { kWriting, kReading, kReadingTables };

  // The message is RocksDB's, as the end of a sentence.
  static Result<std::unique_ptr<RecordDatabase>> open(const std::filesystem::path& directory,
                                                      const RecordStoreOptions& options, For use);
  ~RecordDatabase();

  rocksdb::DB& operator*() const { return *db_; }
  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* records() const { return records_; }
  rocksdb::ColumnFamilyHandle* versions() const { return versions_; }

  bool has_record(std::int64_t offset) const;
  // Whether its first record, or the last one if that cannot be read, is one of a sealed log; null
  // if it holds none. kDamaged, kUnavailable: neither can be read; the message is the end of a
  // sentence.
  Result<std::optional<bool>> is_sealed() const;
  // The offset after the last record. kDamaged.
  Result<std::int64_t> end() const;
  // As RecordStore::page(), of records that are not archived.
  Result<std::vector<LoggedRecord>> page(std::int64_t offset, std::int64_t end,
                                         std::size_t limit) const;
  // Over those records.
  std::unique_ptr<rocksdb::Iterator> iterator() const;

  // The part of the log that is in files of its own.
  const ArchivedFiles& archived() const { return archived_; }
  // Replaces that list and removes the records that it has, in one durable write. Threads: one.
  // kUnavailable: the outcome is open.
  Status set_archived(const ArchivedFiles& files);
  // Frees the space of records that were removed, or, once end_reclaiming() was called, a part of
  // it: the next call does the rest. Threads: as above.
  Status reclaim_archived();
  // Threads: any.
  void end_reclaiming() { reclaiming_ends_ = true; }

 private:
  RecordDatabase() = default;

  Status read_archived();

  std::shared_ptr<OwnerKeyFiles> keys_;
  std::unique_ptr<rocksdb::Env> env_;  // of db_; null: it uses that of the options
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* records_ = nullptr;
  rocksdb::ColumnFamilyHandle* versions_ = nullptr;
  rocksdb::ColumnFamilyHandle* archive_ = nullptr;  // null: nothing was ever archived
  ArchivedFiles archived_;
  std::atomic<bool> reclaiming_ends_ = false;
};

// Whether the tables have the records that `found` lacks. An obsolete write-ahead log may outlive a
// later one when its process is killed; the records between them are in the tables.
//
//   kDamaged      the message, the end of a sentence, names the first records that are nowhere
//   kUnavailable  the tables cannot be read now
Status check_gaps(const std::filesystem::path& directory, const RecordStoreOptions& options,
                  const WalFindings& found);

}  // namespace tilth
