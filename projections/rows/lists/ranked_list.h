// A list in each of its orders: the same entries, sorted one way and another.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "projections/rows/lists/ranked_index.h"

namespace tilth {

// An entry that comes or goes changes the totals of all orders, so they lie together: one look-up
// and one write, however many orders there are.
class RankedList {
 public:
  // `prefix` is the list's own: no other key may begin with it.
  RankedList(const RowReader& store, std::string prefix);

  // Under what the entries of one order lie, in that order.
  static std::string entries_prefix(std::string_view prefix, std::size_t sort);

  std::uint64_t size() const { return totals_.empty() ? 0 : totals_.front().entries; }

  // In one of its orders; not to outlive the list.
  RankedIndex sorted_by(std::size_t sort);

  // As RankedIndex's, in the order `sort`. Where the counts changed, end with save().
  void insert(RowStore& store, std::size_t sort, const RankedKey& key, std::string value);
  void erase(RowStore& store, std::size_t sort, const RankedKey& key);
  void set(RowStore& store, std::size_t sort, const RankedKey& key, std::string value);
  void save(RowStore& store) const;

 private:
  const RowReader& store_;
  const std::string prefix_;
  std::deque<RankedTotals> totals_;  // of each order; they stay where they are
};

}  // namespace tilth
