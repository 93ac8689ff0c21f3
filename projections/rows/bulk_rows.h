// The rows of one stream while all of its events are folded at once. Lists, which are most of what
// an event changes, are built from the rows at the end, or when they are read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projections/rows/lists/list_builder.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/row_index.h"
#include "projections/rows/row_keys.h"
#include "projections/rows/row_spill.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Operation: a row is stored as it is, without reading its previous state or changing a list.
//
// What follows from rows is built when it is read. The entries of a list, which cascades visit, are
// sorted in the one order that is read, and sorted again once a row of their parent was put. A
// count or a unique key that an event reads has all lists of that parent built, which are kept up
// to date from then on. After settle() there is no more of that: a count is counted, and a list has
// no counters above its entries, so that its pages are the same and cost a step for each entry
// before them.
//
// What take() yields is the same, byte for byte, as if each change had updated each list. Iterating
// over rows is a logic_error.
//
// Threads: one at a time.
class BulkRows final : public RowStore {
 public:
  // Called every few hundred rows while something is built from many. May throw, through get() or a
  // cursor: what was being built is then built by the next read.
  using Pause = std::function<void()>;

  explicit BulkRows(std::string_view stream, Pause pause = {});
  ~BulkRows() override;

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override;
  void put(std::string key, std::string value) override;
  void erase(std::string key) override;
  bool put_row(const RowKind& kind, const Uuid& id, const Uuid& parent,
               const std::string& bytes) override;
  bool erase_row(const RowKind& kind, const Uuid& id, const Uuid& parent) override;

  // About how much memory it uses, and how much of that are rows that can be spilled.
  std::size_t bytes() const { return bytes_; }
  std::size_t bytes_of_rows() const { return bytes_of_rows_; }

  // No more events: from now on rows are read, and age. No take() may follow.
  void settle() { settled_ = true; }

  // Moves the bytes of all rows in memory there; `spill` is the same in each call, and must outlive
  // the rows. Errors: append()'s.
  Status spill_rows(RowSpill& spill);

  // What is neither a row nor follows from one, as changes to what is under it.
  const RowBatch::Changes& others() const { return ordered_.changes(); }
  // The others are in `committed` now, which must not change until the next call.
  void others_are_in(const RowReader& committed) { ordered_ = RowBatch(committed); }

  // Hands over all keys in order, each once; nothing may be put afterwards, and nothing may have
  // been spilled.
  using Each = std::function<void(std::string_view key, std::string_view value)>;
  void take(const Each& each);

 private:
  struct Parent;
  struct Row;
  struct Table;
  struct Sorted;
  struct Ages;
  struct ListKey;
  class Cursor;

  struct Built {
    std::uint64_t changes = 0;  // of the parent until then: puts, for totals also rows erased
    std::shared_ptr<const Sorted> sorted = {};
    std::optional<std::string> totals = {};
  };
  using Entry = std::pair<const Uuid, Row>;
  using Uniques = std::vector<std::pair<std::string, std::string>>;

  Table* find_table(std::string_view name) const;
  Row* find_row(const RowKeyParts& key) const;
  std::string_view bytes_of(const Row& row, std::string& buffer) const;
  RowIndex index_of(const Table& table, const Row& row, IndexPart part) const;
  static std::uint64_t note_nulls(Table& table, Row& row, const RowIndex& index);
  void store(Row& row, std::string_view bytes);
  void forget(Row& row);
  void age(Table& table, const Row& row) const;
  template <class Visit>
  void for_each(const Parent& parent, const std::vector<Entry*>& entries, Visit visit) const;
  template <class Visit>
  void for_each(const Table& table, const Parent& parent, const std::vector<Entry*>& entries,
                IndexPart part, Visit visit) const;
  const std::vector<Entry*>& members(const ListKey& key) const;
  std::shared_ptr<const Sorted> sorted(const ListKey& key) const;
  std::optional<std::string> totals(const ListKey& key) const;
  std::optional<std::string> find_unique(const RowKeyParts& of, std::string_view key) const;
  std::shared_ptr<Ages> ages(std::string_view table) const;
  void keep_up(std::string_view table, const Uuid& parent) const;
  ListBuilder follow(const Table& table, Parent& parent, Uniques& uniques) const;
  void put_other(std::string key, std::string value) const;
  std::string key_of(char kind, std::string_view table, const Uuid& of) const;

  const std::string stream_;
  const Pause pause_;
  std::map<std::string_view, std::unique_ptr<Table>> tables_;  // by name
  mutable RowBatch ordered_;     // all else, and what follows from rows once that is read
  std::vector<Row*> in_memory_;  // rows whose bytes are
  const RowSpill* spill_ = nullptr;
  bool settled_ = false;
  mutable std::size_t bytes_ = 0;
  std::size_t bytes_of_rows_ = 0;
  mutable std::unordered_map<std::string, Built> lists_;  // by their keys, or those of an order
  mutable std::size_t listed_ = 0;                        // entries in them
};

}  // namespace tilth
