// A small database with a write-ahead log, which goes on after its disk was full.

#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

namespace tilth {

// Operation: after a write that failed, the database is closed and opened again before the next
// one. RocksDB's own way, Resume(), may leave the write-ahead log in use whose write failed, and
// ends the process when that is written again.
//
// Threads: any.
//
// Crash: once write() has returned OK, the operating system has the batch, without fsync.
class ReopeningDatabase {
 public:
  ReopeningDatabase(rocksdb::Options options, std::string directory);

  // Before all else.
  rocksdb::Status open();

  // Opens it again if the last write failed. Call it before reading what a write depends on.
  rocksdb::Status recover();

  // All or nothing. A failed write may be repeated.
  rocksdb::Status write(rocksdb::WriteBatch& batch);

  // The database, for reading. Null: it could not be opened again yet. It is not opened again while
  // somebody holds it, so nothing can be written again until then.
  std::shared_ptr<rocksdb::DB> read() const;

 private:
  rocksdb::Status reopen();

  const rocksdb::Options options_;
  const std::string directory_;

  std::mutex writing_;  // guards failed_; taken before mutex_
  rocksdb::Status failed_;

  mutable std::mutex mutex_;  // guards db_
  std::shared_ptr<rocksdb::DB> db_;
};

}  // namespace tilth
