// What follows from a row: the lists in which it stands, the keys by which it is found, and when it
// changes by itself. And what can be asked of such lists.

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

// Under what a row is listed and found; a row fills it in index_to().
class RowIndex {
 public:
  // What lists can be filtered by, in the order of Row::kFilters: next to the whole list the row
  // stands in those of its values.
  void filter(std::string_view value) { filters_.emplace_back(value); }
  template <class T>
  requires std::is_enum_v<T>
  void filter(T value) { filter(name_of(value)); }
  template <std::same_as<bool> Flag>
  void filter(Flag value) {
    filter(std::string_view(value ? "true" : "false"));
  }
  template <class Of>
  void filter(const Id<Of>& id) {
    filter(id.uuid.key());
  }
  template <class T>
  void filter(const std::optional<T>& value) {
    if (value) return filter(*value);
    filters_.emplace_back();
  }

  // What lists can be sorted by, in the order of Row::kSorts.
  void sort(std::string_view text) { sorts_.emplace_back(std::string(text) + '\0'); }
  template <class T>
  requires requires(const T& value) { value.sort_key(); }
  void sort(const T& value) { sorts_.emplace_back(value.sort_key()); }
  template <class T>
  requires std::is_enum_v<T>  // in the order in which they are numbered
  void sort(T value) { sorts_.emplace_back(std::string(1, static_cast<char>(value))); }
  template <class T>
  void sort(const std::optional<T>& value) {
    if (value) return sort(*value);
    sorts_.emplace_back();
  }

  // As sort(), and lists can be cut to what lies between two such values: one at most.
  template <class T>
  void sort_and_cut(const T& value) {
    sort(value);
    cut_ = sorts_.back();
    can_be_cut_ = true;
  }

  // It stands in the list of its parent alone, which is walked and never shown a page of: nothing
  // in there is counted. Filters, unique keys and ageing are not for such a row.
  void only_walked() { counted_ = false; }

  // When the row changes by itself next; see overdue.h.
  void ages_at(Timestamp at) { ages_at_.emplace(at.sort_key()); }

  // As ages_at(), and the clock has to be told of it; see wakes.h.
  void wakes_at(Timestamp at) {
    ages_at(at);
    wakes_ = true;
  }

  // What no two rows of one parent may share.
  void unique(std::string_view key) { unique_.emplace(key); }

  const std::vector<std::optional<std::string>>& filters() const { return filters_; }
  const std::vector<std::optional<std::string>>& sorts() const { return sorts_; }
  const std::optional<std::string>& unique() const { return unique_; }
  bool counted() const { return counted_; }
  bool can_be_cut() const { return can_be_cut_; }
  const std::optional<std::string>& cut() const { return cut_; }
  const std::optional<std::string>& ages_at() const { return ages_at_; }
  bool wakes() const { return wakes_; }

 private:
  std::vector<std::optional<std::string>> filters_;
  std::vector<std::optional<std::string>> sorts_;
  std::optional<std::string> unique_;
  std::optional<std::string> cut_;
  bool counted_ = true;
  bool can_be_cut_ = false;
  std::optional<std::string> ages_at_;
  bool wakes_ = false;
};

template <class Row>
RowIndex index_of(const Row& row) {
  RowIndex index;
  row.index_to(index);
  return index;
}

// What an entry of a list keeps of its row: the id, its values of all filters and what it can be
// cut by, so that a list that is filtered twice need not read the rows.
std::string entry_value(const Uuid& id, const RowIndex& index);

// The keys that tell when a row of `table` changes by itself next; none where it does not.
std::vector<std::string> keys_to_age(std::string_view stream, std::string_view table,
                                     const Uuid& id, const RowIndex& index);

// A kind of rows, for stores that make by themselves what follows from a row.
struct RowKind {
  std::string_view table;
  RowIndex (*index_of)(std::string_view bytes);
};

// One list of a parent's rows: those with a value of Row::kFilters, or all of them.
struct ListFilter {
  static constexpr std::size_t kAll = 0xFF;
  std::size_t filter = kAll;
  std::string value = {};
};

// Which part of a list: the rows whose value to be cut by lies between these sort keys.
struct ListCut {
  std::size_t sort = 0;                   // of Row::kSorts: the one that is cut by
  std::optional<std::string> from = {};   // inclusive
  std::optional<std::string> until = {};  // exclusive
};

// Which rows a list shows, and which page of them.
struct Listing {
  std::vector<ListFilter> filters = {};  // all must hold
  std::optional<ListCut> cut = {};
  std::size_t sort = 0;  // of Row::kSorts
  Order order = Order::kDescending;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};

}  // namespace tilth
