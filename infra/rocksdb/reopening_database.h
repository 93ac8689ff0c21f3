// A small database with a write-ahead log, which goes on after its disk was full.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include "events/values/result.h"

namespace tilth {

// Operation: after a write that failed, the database is closed and opened again before the next
// one. RocksDB's own way, Resume(), may leave the write-ahead log in use whose write failed, and
// ends the process when that is written again.
//
// Threads: any.
//
// Crash: once write() has returned, the operating system has the batch, without fsync.
class ReopeningDatabase {
 public:
  // `name`: what errors call it, such as "The request log".
  ReopeningDatabase(std::string name, rocksdb::Options options, std::filesystem::path directory);

  // Makes the folder if there is none. Call it before anything else. kDamaged; kUnavailable.
  Status open();

  // Opens it again if the last write failed. Call it before reading what a write depends on.
  // kUnavailable.
  Status recover();

  // All or nothing; empties the batch. kUnavailable: the batch is as before, and may be written
  // again.
  Status write(rocksdb::WriteBatch& batch);

  // Visits the entries from `begin` on and before `end` in order, until `each` returns false. An
  // empty `end`: to the last one. The database is not opened again before it returns. kDamaged;
  // kUnavailable.
  using Each = std::function<bool(std::string_view key, std::string_view value)>;
  Status visit(std::string_view begin, std::string_view end, const Each& each) const;

  // As visit(), from the last one to the first.
  Status visit_backwards(std::string_view begin, std::string_view end, const Each& each) const;

  // kDamaged; kUnavailable.
  Result<std::optional<std::string>> find(std::string_view key) const;

  // Rewrites the files that have keys from `begin` on and before `end`, both empty for all, so that
  // nothing of what was erased there is left in them or in the write-ahead log. kUnavailable.
  Status compact(std::string_view begin, std::string_view end);

  // Copies it into a folder that is not there yet. kUnavailable.
  Status copy_to(const std::filesystem::path& directory) const;

 private:
  enum class Order { kForwards, kBackwards };

  // Null: it could not be opened again yet.
  std::shared_ptr<rocksdb::DB> database() const;
  rocksdb::Status reopen();
  Status visit(Order order, std::string_view begin, std::string_view end, const Each& each) const;
  Status readable(const rocksdb::Status& status) const;
  Status writable(const rocksdb::Status& status) const;
  Error closed() const;

  const std::string name_;
  const rocksdb::Options options_;
  const std::filesystem::path directory_;

  std::mutex writing_;  // guards failed_; taken before mutex_
  rocksdb::Status failed_;

  mutable std::mutex mutex_;  // guards db_
  std::shared_ptr<rocksdb::DB> db_;
};

}  // namespace tilth
