// Uncommitted changes to rows, and a view of the rows with them.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projections/rows/row_store.h"

namespace tilth {

// A RowStore whose writes stay in memory, over a state that does not change meanwhile, except with
// put_over(). Without such a state it is an in-memory store, which is all that a spec needs.
//
// RocksDB's own WriteBatchWithIndex builds a database iterator for every look-up. An index insert
// does up to five look-ups; here they share one iterator per batch.
class RowBatch final : public RowStore {
 public:
  using Changes = std::map<std::string, std::optional<std::string>, std::less<>>;  // null: erased

  RowBatch() = default;
  explicit RowBatch(const RowReader& under) : under_(&under) {}

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override;
  std::unique_ptr<RowCursor> cursor_within(std::string_view prefix) const override;
  void put(std::string key, std::string value) override;
  void erase(std::string key) override;

  const Changes& changes() const { return changes_; }
  // Hands the changes over, and has none.
  Changes take_changes() { return std::exchange(changes_, {}); }
  // Makes changes that another batch has handed over.
  void put_all(Changes changes);

  // From now on the state below is that one. It differs only in keys that have no change here.
  void put_over(const RowReader& under) {
    under_ = &under;
    idle_.clear();
  }

 private:
  class Cursor;

  std::unique_ptr<RowCursor> idle_cursor() const;

  const RowReader* under_ = nullptr;
  Changes changes_;
  mutable std::vector<std::unique_ptr<RowCursor>> idle_;  // cursors of `under_`, for reuse
};

}  // namespace tilth
