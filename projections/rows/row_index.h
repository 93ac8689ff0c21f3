// What follows from a row: the lists that it is in, the keys by which it is found, and when it
// changes by itself. Also, the queries on such lists.

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "events/json/described.h"
#include "events/values/ids.h"
#include "projections/rows/lists/ranked_index.h"

namespace tilth {

// How much of a RowIndex is wanted: what is not is not built. Whether a value to sort by is null,
// and when the row ages, is always there.
struct IndexPart {
  static constexpr std::size_t kAll = SIZE_MAX, kNone = SIZE_MAX - 1;
  std::size_t sort = kAll;  // whose value is wanted
  bool others = true;       // filters, links and the unique key; the cut value, if all sorts are
};

// What a row is listed and found under; a row fills it in index_to().
class RowIndex {
 public:
  explicit RowIndex(IndexPart part = {}) : part_(part) {}

  // Of a row that has so many.
  void reserve(std::size_t filters, std::size_t sorts) {
    if (part_.others) filters_.reserve(filters);
    sorts_.reserve(sorts);
  }

  // A value that lists can be filtered by, in the order of Row::kFilters. Entries of the whole list
  // store it.
  void filter(std::string_view value) {
    if (part_.others) filters_.emplace_back(value);
  }
  template <class T>
  requires std::is_enum_v<T>
  void filter(T value) { filter(name_of(value)); }
  template <std::same_as<bool> Flag>
  void filter(Flag value) {
    filter(std::string_view(value ? "true" : "false"));
  }
  // The id of another record. The row is also linked from it, so that cascades find it, and queries
  // if there are not many.
  template <class Of>
  void filter(const Id<Of>& id) {
    if (!part_.others) return;
    links_.push_back(filters_.size());
    filter(id.uuid.key());
  }
  template <class T>
  void filter(const std::optional<T>& value) {
    if (value) return filter(*value);
    if (part_.others) filters_.emplace_back();
  }

  // A value that lists can be sorted by, in the order of Row::kSorts.
  void sort(std::string_view text) {
    auto& key = sorts_.emplace_back(std::in_place);
    if (wants_sort()) key->reserve(text.size() + 1), key->append(text).append(1, '\0');
  }
  template <class T>
  requires requires(const T& value) { value.sort_key(); }
  void sort(const T& value) {
    auto& key = sorts_.emplace_back(std::in_place);
    if (wants_sort()) key = value.sort_key();
  }
  template <class T>
  requires std::is_enum_v<T>  // in the order of their numbers
  void sort(T value) {
    auto& key = sorts_.emplace_back(std::in_place);
    if (wants_sort()) key->assign(1, static_cast<char>(value));
  }
  template <class T>
  void sort(const std::optional<T>& value) {
    if (value) return sort(*value);
    sorts_.emplace_back();
  }

  // As sort(), and lists can be cut to a range of such values: one at most.
  template <class T>
  void sort_and_cut(const T& value) {
    sort(value);
    if (part_.others) cut_ = sorts_.back();
    can_be_cut_ = true;
  }

  // The row is only in the list of its parent, which is iterated and never paged: nothing in it is
  // counted. Such a row has no filters, unique keys or ageing.
  void only_walked() { counted_ = false; }

  // When the row next changes by itself; see overdue.h.
  void ages_at(Timestamp at) { ages_at_.emplace(at.sort_key()); }

  // As ages_at(), and the clock must know it; see wake_list.h.
  void wakes_at(Timestamp at) {
    ages_at(at);
    wakes_ = true;
  }

  // A key that no two rows of one parent may share.
  void unique(std::string_view key) {
    if (part_.others) unique_.emplace(key);
  }

  const std::vector<std::optional<std::string>>& filters() const { return filters_; }
  const std::vector<std::size_t>& links() const { return links_; }  // which filters are links
  const std::vector<std::optional<std::string>>& sorts() const { return sorts_; }
  const std::optional<std::string>& unique() const { return unique_; }
  bool counted() const { return counted_; }
  bool can_be_cut() const { return can_be_cut_; }
  // Whether queries look at what entries store: then the whole list's blocks are fingerprinted.
  bool fingerprinted() const { return !filters_.empty() || can_be_cut_; }
  const std::optional<std::string>& cut() const { return cut_; }
  const std::optional<std::string>& ages_at() const { return ages_at_; }
  bool wakes() const { return wakes_; }

 private:
  // Of the sort that was added last.
  bool wants_sort() const {
    return part_.sort == IndexPart::kAll || part_.sort + 1 == sorts_.size();
  }

  IndexPart part_;
  std::vector<std::optional<std::string>> filters_;
  std::vector<std::size_t> links_;
  std::vector<std::optional<std::string>> sorts_;
  std::optional<std::string> unique_;
  std::optional<std::string> cut_;
  bool counted_ = true;
  bool can_be_cut_ = false;
  std::optional<std::string> ages_at_;
  bool wakes_ = false;
};

template <class Row>
RowIndex index_of(const Row& row, IndexPart part = {}) {
  RowIndex index(part);
  index.reserve(Row::kFilters.size(), Row::kSorts.size());
  row.index_to(index);
  return index;
}

// What an entry of a list stores of its row: the id, its values of all filters and its cut value,
// so that a query with filters need not read the rows.
std::string entry_value(const Uuid& id, const RowIndex& index);

// The keys for when a row of `table` next changes by itself; none if it does not.
std::vector<std::string> keys_to_age(std::string_view stream, std::string_view table,
                                     const Uuid& id, const RowIndex& index);

// A kind of rows, for those who have only their bytes.
struct RowKind {
  std::string_view table;
  RowIndex (*index_of)(std::string_view bytes, IndexPart part);
};

// The rows of a parent with a value of Row::kFilters, or all of them.
struct ListFilter {
  static constexpr std::size_t kAll = 0xFF;
  std::size_t filter = kAll;
  std::string value = {};
  bool is_link = false;  // the value is an id
};

// Which part of a list: the rows whose cut value is between these sort keys.
struct ListCut {
  std::size_t sort = 0;                   // index of the cut value in Row::kSorts
  std::optional<std::string> from = {};   // inclusive
  std::optional<std::string> until = {};  // exclusive
};

// Which rows a query on a list returns, and which page of them.
struct Listing {
  std::vector<ListFilter> filters = {};  // all must hold
  std::optional<ListCut> cut = {};
  std::size_t sort = 0;  // of Row::kSorts
  Order order = Order::kDescending;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};

}  // namespace tilth
