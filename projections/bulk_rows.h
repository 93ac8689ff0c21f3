// The rows of many events in memory, before they go to the store in one sorted piece. Lists, which
// are most of what an event changes, are made from their entries at the end.

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

#include "projections/ranked_index.h"
#include "projections/row_batch.h"
#include "projections/row_store.h"

namespace tilth {

// Operation: what changes in a list is only noted, and its counters are made once, when all is
// taken, however many entries came and went. Whoever reads a list before finds it as it would be:
// it is brought up to date first. So what is taken is the same, byte for byte, as if each change
// had been made at once.
//
// Threads: one. Not cheap to walk: cursors are for what is walked seldom.
class BulkRows final : public RowStore {
 public:
  // `under` must not change until all was taken.
  explicit BulkRows(const RowReader& under);
  ~BulkRows() override;

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override;
  void put(std::string key, std::string value) override;
  void erase(std::string key) override;

  // Notes for RankedList's changes, of the order `sort` of the list under `list`.
  void insert_entry(const std::string& list, std::size_t sort, const RankedKey& key,
                    const std::string& value);
  void erase_entry(const std::string& list, std::size_t sort, const RankedKey& key);
  void set_entry(const std::string& list, std::size_t sort, const RankedKey& key,
                 const std::string& value);

  // About the memory that it takes.
  std::size_t bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }

  // Hands over every change in the order of keys, each key once; null: erased. Nothing is left, and
  // nothing more may come.
  using Each = std::function<void(std::string_view key, const std::optional<std::string>& value)>;
  void take(const Each& each);

 private:
  enum class What : std::uint8_t { kInserted, kErased, kSet };
  struct Note {
    std::string entry;
    What what = What::kInserted;
    std::string value = {};
  };
  struct List {
    std::vector<std::vector<Note>> by_sort;
  };
  // The lists of one parent's rows of a table, by what follows the parent in their keys.
  using Lists = std::unordered_map<std::string, List>;
  using Change = std::pair<std::string, std::optional<std::string>>;
  class Cursor;

  List& list_at(const std::string& list);
  void note(const std::string& list, std::size_t sort, Note note);
  void settle_list(std::string_view list);
  void settle_parent(std::string_view parent);
  void settle_all();
  void apply(const std::string& list, List& notes);
  void spill_points();
  bool make_anew(const std::string& list, List& notes, std::vector<Change>& changes);
  RankedTotals make_order(const std::string& order, std::vector<Note>& notes, bool is_new,
                          std::vector<Change>& changes);

  const RowReader& under_;
  RowBatch ordered_;  // whatever is walked
  // What is only ever looked up: rows, versions, remembered requests.
  std::unordered_map<std::string, std::optional<std::string>> points_;
  bool points_are_walked_ = false;
  std::unordered_map<std::string, Lists> lists_;  // by the part of their keys up to the parent
  std::size_t bytes_ = 0;
};

}  // namespace tilth
