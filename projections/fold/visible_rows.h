// Hides rows whose parent was removed until a sweep has erased them.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "projections/rows/row_keys.h"
#include "projections/rows/row_store.h"

namespace tilth {

// The streams that have hidden rows, and the removed rows below which these are.
using SweptStreams = std::map<std::string, std::set<Uuid>, std::less<>>;

// The rows of `rows`, without those whose parent is a removed row that is no longer there, or is
// hidden itself. The lists of such a parent are empty. Cursors show what is stored: to be used on
// lists that are not empty.
//
// An event must not create a row whose id has leftovers (LeftoverGuard), or they would belong to
// that row.
//
// Threads: any, if `rows` can be read by any.
class VisibleRows final : public RowReader {
 public:
  VisibleRows(std::shared_ptr<const RowReader> rows, std::shared_ptr<const SweptStreams> swept)
      : rows_(std::move(rows)), swept_(std::move(swept)) {}

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override { return rows_->cursor(); }
  std::unique_ptr<RowCursor> cursor_within(std::string_view prefix) const override {
    return rows_->cursor_within(prefix);
  }

 private:
  bool is_hidden(std::string_view key, std::string_view value) const;
  bool is_gone(SweptStreams::const_iterator stream, std::string_view table, const Uuid& id) const;

  const std::shared_ptr<const RowReader> rows_;
  const std::shared_ptr<const SweptStreams> swept_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, bool> gone_;  // by row key: what was found of parents
};

// Writes to `rows`, which have those of `visible`, and notes whether a row is put whose id still
// has rows to be swept. `stored` has those, too. Then nothing of it may be committed.
class LeftoverGuard final : public RowStore {
 public:
  LeftoverGuard(RowStore& rows, const RowReader& visible, const RowReader& stored)
      : rows_(rows), visible_(visible), stored_(stored) {}

  bool met_leftovers() const { return met_leftovers_; }

  std::optional<std::string> get(std::string_view key) const override { return rows_.get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return rows_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return rows_.cursor(); }
  std::unique_ptr<RowCursor> cursor_within(std::string_view prefix) const override {
    return rows_.cursor_within(prefix);
  }
  void put(std::string key, std::string value) override;
  void erase(std::string key) override { rows_.erase(std::move(key)); }

 private:
  bool has_leftovers(std::string_view key) const;

  RowStore& rows_;
  const RowReader& visible_;
  const RowReader& stored_;
  bool met_leftovers_ = false;
};

}  // namespace tilth
