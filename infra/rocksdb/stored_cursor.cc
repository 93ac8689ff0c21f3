#include "infra/rocksdb/stored_cursor.h"

#include <utility>

#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

// The cached end of a seek that found no key: all keys begin with a stream's name or with \1, so it
// is greater than any.
const std::string kBehindAll = "\xff";

}  // namespace

void require_read(const rocksdb::Status& status, const rocksdb::DB& db) {
  if (status.ok()) return;
  const auto& path = db.GetName();
  throw UnreadableRows(path, "The rows in " + path + " cannot be read: " + status.ToString() + ".");
}

StoredCursor::StoredCursor(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                           std::string_view prefix)
    : db_(db), options_(options), end_(end_of_prefix(prefix)) {
  auto within = options;
  if (!end_.empty()) within.iterate_upper_bound = &end_slice_;
  at_.reset(db.NewIterator(within));
}

void StoredCursor::checked() const {
  if (!at_->Valid()) require_read(at_->status(), db_);
}

// The caller expects another row, which a damaged database may lack; RocksDB would abort.
void StoredCursor::require_more() const {
  if (!at_ || !at_->Valid()) {
    require_read(rocksdb::Status::Corruption("some are missing that others count"), db_);
  }
}

rocksdb::Iterator& StoredCursor::at() {
  if (!at_) at_.reset(db_.NewIterator(options_));
  return *at_;
}

void StoredCursor::seek(std::string_view key) {
  known_.reset(), value_.reset();
  if (seek_cache_ != nullptr) {
    if (const auto* end = seek_cache_->find(key)) {
      if (*end == kBehindAll) {
        at_.reset();
      } else {
        known_ = *end;
      }
      return;
    }
  }
  at().Seek(slice(key)), checked();
  if (seek_cache_ == nullptr) return;
  seek_cache_->keep(key, at_->Valid() ? view(at_->key()) : std::string_view(kBehindAll));
}

void StoredCursor::seek_for_prev(std::string_view key) {
  known_.reset(), value_.reset();
  at().SeekForPrev(slice(key)), checked();
}

// If the known key was erased meanwhile, the seek has already moved past it.
void StoredCursor::next() {
  if (const auto from = std::exchange(known_, std::nullopt)) {
    at().Seek(slice(*from)), checked();
    if (!at_->Valid() || at_->key() != slice(*from)) return;
  }
  require_more();
  at_->Next(), checked();
}

void StoredCursor::prev() {
  if (const auto from = std::exchange(known_, std::nullopt)) {
    at().SeekForPrev(slice(*from)), checked();
    if (!at_->Valid() || at_->key() != slice(*from)) return;
  }
  require_more();
  at_->Prev(), checked();
}

std::string_view StoredCursor::key() const {
  if (known_) return *known_;
  require_more();
  return view(at_->key());
}

std::string_view StoredCursor::value() const {
  if (!known_) {
    require_more();
    return view(at_->value());
  }
  if (!value_) value_ = value_of_(*known_).value_or(std::string());
  return *value_;
}

}  // namespace tilth
