// Iterates over the rows of a database.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/db.h>

#include "infra/rocksdb/seek_cache.h"
#include "projections/rows/row_store.h"
#include "projections/rows/unreadable_rows.h"

namespace tilth {

// Throws UnreadableRows if `status` is not ok.
void require_read(const rocksdb::Status& status, const rocksdb::DB& db);

// `db` and `options` must outlive it.
class StoredCursor final : public RowCursor {
 public:
  StoredCursor(rocksdb::DB& db, const rocksdb::ReadOptions& options)
      : db_(db), options_(options), at_(db.NewIterator(options)) {}

  // Ends after the keys that begin with `prefix`.
  StoredCursor(rocksdb::DB& db, const rocksdb::ReadOptions& options, std::string_view prefix);

  // Seeks in the database only what `gaps` does not know, and adds the result to it. `value_of`
  // reads the value of a key.
  using ValueOf = std::function<std::optional<std::string>(std::string_view key)>;
  StoredCursor(rocksdb::DB& db, const rocksdb::ReadOptions& options, SeekCache& gaps,
               ValueOf value_of)
      : db_(db), options_(options), seek_cache_(&gaps), value_of_(std::move(value_of)) {}

  void seek(std::string_view key) override;
  void seek_for_prev(std::string_view key) override;
  void next() override;
  void prev() override;
  bool valid() const override { return known_ || (at_ && at_->Valid()); }
  std::string_view key() const override;
  std::string_view value() const override;

 private:
  rocksdb::Iterator& at();
  void checked() const;
  void require_more() const;

  rocksdb::DB& db_;
  const rocksdb::ReadOptions& options_;
  const std::string end_ = {};  // empty: there is none
  const rocksdb::Slice end_slice_ = end_;
  SeekCache* const seek_cache_ = nullptr;
  const ValueOf value_of_;
  std::unique_ptr<rocksdb::Iterator> at_;
  std::optional<std::string> known_;  // the current key, if `seek_cache_` knew it
  mutable std::optional<std::string> value_;
};

}  // namespace tilth
