// Pages of lists: the page that is requested, and its rows.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/values/result.h"
#include "projections/rows/rows.h"

namespace tilth {

// The requested page, numbered as in the contract.
struct PageRequest {
  std::uint64_t page = 1;
  std::uint64_t limit = 20;
  std::size_t sort = 0;  // index into Row::kSorts
  Order order = Order::kDescending;
};

// The filters of a list that were given, in the order of Row::kFilters.
class ListFilters {
 public:
  template <class T>
  ListFilters& add(const std::optional<T>& value) {
    RowIndex one;
    one.filter(value);
    if (const auto& wanted = one.filters().front()) {
      filters_.push_back({next_, *wanted, !one.links().empty()});
    }
    ++next_;
    return *this;
  }
  // Only rows from `from` on and before `until`, by `sort` of Row::kSorts.
  template <class T>
  ListFilters& cut(std::size_t sort, const std::optional<T>& from, const std::optional<T>& until) {
    const auto key = [](const std::optional<T>& value) {
      return value ? std::optional(value->sort_key()) : std::nullopt;
    };
    if (from || until) cut_ = ListCut{sort, key(from), key(until)};
    return *this;
  }

  Listing take(const PageRequest& page) {
    return {std::move(filters_),          std::move(cut_), page.sort, page.order,
            (page.page - 1) * page.limit, page.limit};
  }

 private:
  std::vector<ListFilter> filters_;
  std::optional<ListCut> cut_;
  std::size_t next_ = 0;
};

// One page of several lists merged into one. Each part starts at its list's beginning and reaches
// to the end of the page.
template <class Row>
Listed<Row> merge_page(std::vector<Listed<Row>> parts, const PageRequest& page) {
  Listed<Row> merged;
  std::vector<std::pair<RankedKey, Row>> all;
  for (auto& part : parts) {
    merged.total += part.total;
    for (auto& row : part.rows) {
      RankedKey key{index_of(row).sorts()[page.sort], std::string(row.id.uuid.key())};
      all.emplace_back(std::move(key), std::move(row));
    }
  }
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return comes_before(a.first, b.first, page.order);
  });
  const auto end = std::min<std::uint64_t>(all.size(), page.page * page.limit);
  for (auto i = (page.page - 1) * page.limit; i < end; ++i) {
    merged.rows.push_back(std::move(all[i].second));
  }
  return merged;
}

// Visits every row of a list, in the order of `page`.
template <class Query, class Visit>
void for_each_row(const Rows& rows, const Query& question, PageRequest page, Visit visit) {
  for (page.page = 1, page.limit = 500;; ++page.page) {
    const auto some = run_query(rows, question, page);
    if (!some) return;
    for (const auto& row : some->rows) visit(row);
    if (page.page * page.limit >= some->total) return;
  }
}

// The number of rows in a list.
template <class Query>
std::uint64_t count_rows(const Rows& rows, const Query& question) {
  const auto none = run_query(rows, question, PageRequest{.limit = 0});
  return none ? none->total : 0;
}

template <class Row>
Listed<Row> list_page(const Rows& rows, const Uuid& parent, ListFilters filters,
                      const PageRequest& page) {
  return rows.list<Row>(parent, filters.take(page));
}

}  // namespace tilth
