#include "infra/rocksdb/reopening_database.h"

#include <utility>

#include "infra/rocksdb/no_recovery.h"

namespace tilth {
namespace {

rocksdb::Options without_recovery(rocksdb::Options options) {
  NoRecovery::set_in(options);
  return options;
}

}  // namespace

ReopeningDatabase::ReopeningDatabase(rocksdb::Options options, std::string directory)
    : options_(without_recovery(std::move(options))), directory_(std::move(directory)) {}

rocksdb::Status ReopeningDatabase::open() {
  const std::lock_guard writing(writing_);
  return reopen();
}

rocksdb::Status ReopeningDatabase::recover() {
  const std::lock_guard writing(writing_);
  if (!failed_.ok()) failed_ = reopen();
  return failed_;
}

rocksdb::Status ReopeningDatabase::write(rocksdb::WriteBatch& batch) {
  const std::lock_guard writing(writing_);
  if (failed_.ok()) failed_ = read()->Write({}, &batch);
  if (failed_.ok()) return failed_;
  failed_ = reopen();
  if (failed_.ok()) failed_ = read()->Write({}, &batch);
  return failed_;
}

std::shared_ptr<rocksdb::DB> ReopeningDatabase::read() const {
  const std::lock_guard lock(mutex_);
  return db_;
}

rocksdb::Status ReopeningDatabase::reopen() {
  const std::lock_guard lock(mutex_);
  if (db_.use_count() > 1) return failed_;
  db_.reset();
  rocksdb::DB* opened = nullptr;
  auto status = rocksdb::DB::Open(options_, directory_, &opened);
  if (status.ok()) db_.reset(opened);
  return status;
}

}  // namespace tilth
