#include "infra/rocksdb/reopening_database.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "infra/rocksdb/compaction.h"
#include "infra/rocksdb/no_recovery.h"
#include "infra/rocksdb/rocks_options.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

constexpr std::chrono::seconds kReadersMayTake{10};

rocksdb::Options without_recovery(rocksdb::Options options) {
  NoRecovery::set_in(options);
  return options;
}

// Files that cannot be read for another reason, such as their owner, are not damaged.
ErrorCode code_of(const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsPathNotFound();
  return damaged ? ErrorCode::kDamaged : ErrorCode::kUnavailable;
}

}  // namespace

ReopeningDatabase::ReopeningDatabase(std::string name, rocksdb::Options options,
                                     std::filesystem::path directory)
    : name_(std::move(name)),
      options_(without_recovery(std::move(options))),
      directory_(std::move(directory)) {}

Status ReopeningDatabase::open() {
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable, "The folder " + directory_.string() +
                                              " cannot be made: " + failed.message() + "."};
  }
  const std::lock_guard writing(writing_);
  const auto opened = reopen();
  if (opened.ok()) return kDone;
  return Error{code_of(opened), name_ + " cannot be opened: " + opened.ToString() + "."};
}

Status ReopeningDatabase::recover() {
  const std::lock_guard writing(writing_);
  if (!failed_.ok()) failed_ = reopen();
  return writable(failed_);
}

Status ReopeningDatabase::write(rocksdb::WriteBatch& batch) {
  const std::lock_guard writing(writing_);
  if (failed_.ok()) failed_ = database()->Write({}, &batch);
  if (!failed_.ok()) {
    failed_ = reopen();
    if (failed_.ok()) failed_ = database()->Write({}, &batch);
  }
  if (failed_.ok()) batch.Clear();
  return writable(failed_);
}

Status ReopeningDatabase::visit(std::string_view begin, std::string_view end,
                                const Each& each) const {
  return visit(Order::kForwards, begin, end, each);
}

Status ReopeningDatabase::visit_backwards(std::string_view begin, std::string_view end,
                                          const Each& each) const {
  return visit(Order::kBackwards, begin, end, each);
}

Status ReopeningDatabase::visit(Order order, std::string_view begin, std::string_view end,
                                const Each& each) const {
  const auto db = database();  // destroyed after the iterator
  if (!db) return closed();
  const auto lower = slice(begin), upper = slice(end);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.iterate_lower_bound = &lower;
  if (!end.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator(options));
  const bool forwards = order == Order::kForwards;
  for (forwards ? at->SeekToFirst() : at->SeekToLast(); at->Valid();
       forwards ? at->Next() : at->Prev()) {
    if (!each(view(at->key()), view(at->value()))) break;
  }
  return readable(at->status());
}

Result<std::optional<std::string>> ReopeningDatabase::find(std::string_view key) const {
  const auto db = database();
  if (!db) return closed();
  std::string value;
  const auto found = db->Get({}, slice(key), &value);
  if (found.IsNotFound()) return std::optional<std::string>();
  if (const auto read = readable(found); !read) return read.error();
  return std::optional(std::move(value));
}

Status ReopeningDatabase::compact(std::string_view begin, std::string_view end) {
  const auto db = database();
  if (!db) return closed();
  auto status = db->Flush({});
  const auto until = std::chrono::steady_clock::now() + kReadersMayTake;
  const auto goes_on = [until] { return std::chrono::steady_clock::now() < until; };
  if (status.ok()) status = compact_range(*db, begin, end, goes_on);
  return writable(status);
}

Status ReopeningDatabase::copy_to(const std::filesystem::path& directory) const {
  const auto db = database();
  if (!db) return closed();
  return copy_database(*db, directory, name_);
}

std::shared_ptr<rocksdb::DB> ReopeningDatabase::database() const {
  const std::lock_guard lock(mutex_);
  return db_;
}

rocksdb::Status ReopeningDatabase::reopen() {
  const std::lock_guard lock(mutex_);
  if (db_.use_count() > 1) return failed_;
  db_.reset();
  rocksdb::DB* opened = nullptr;
  auto status = rocksdb::DB::Open(options_, directory_.string(), &opened);
  if (status.ok()) db_.reset(opened);
  return status;
}

Status ReopeningDatabase::readable(const rocksdb::Status& status) const {
  if (status.ok()) return kDone;
  return Error{code_of(status), name_ + " cannot be read: " + status.ToString() + "."};
}

Status ReopeningDatabase::writable(const rocksdb::Status& status) const {
  if (status.ok()) return kDone;
  return Error{ErrorCode::kUnavailable, name_ + " cannot be written: " + status.ToString() + "."};
}

Error ReopeningDatabase::closed() const {
  return {ErrorCode::kUnavailable, name_ + " could not be opened again after a failed write."};
}

}  // namespace tilth
