// A list in each of its orders: the same entries, sorted in different ways.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "projections/rows/lists/ranked_index.h"

namespace tilth {

// Adding or removing an entry changes the totals of all orders, so they are stored together: one
// look-up and one write, whatever the number of orders.
class RankedList {
 public:
  // `prefix` is the list's own: no other key may begin with it. `fingerprinted` counts once the
  // first entry comes: always give the same for a list that is changed.
  RankedList(const RowReader& store, std::string prefix, bool fingerprinted = false);

  // The key prefix of the entries of one order, which are stored in that order.
  static std::string entries_prefix(std::string_view prefix, std::size_t sort);

  std::uint64_t size() const { return totals_.empty() ? 0 : totals_.front().all.entries; }

  // The list in one of its orders, with the parts of it that are `known`; must not outlive the
  // list.
  RankedIndex sorted_by(std::size_t sort, ListPartsCache* known = nullptr);

  // As in RankedIndex, in the order `sort`. If anything was inserted or erased, or the list
  // is fingerprinted, call save() at the end.
  void insert(RowStore& store, std::size_t sort, const RankedKey& key, std::string value);
  void erase(RowStore& store, std::size_t sort, const RankedKey& key, std::string_view value);
  void set(RowStore& store, std::size_t sort, const RankedKey& key, std::string_view old_value,
           std::string value);
  void save(RowStore& store) const;

 private:
  const RowReader& store_;
  const std::string prefix_;
  const bool fingerprinted_;
  std::deque<RankedTotals> totals_;  // of each order; their addresses do not change
};

}  // namespace tilth
