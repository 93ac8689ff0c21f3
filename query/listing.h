// Pages of lists: which page is asked for, and the rows that it shows.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "events/result.h"
#include "projections/rows.h"

namespace tilth {

// Which page, as the contract counts them.
struct PageRequest {
  std::uint64_t page = 1;
  std::uint64_t limit = 20;
  std::size_t sort = 0;  // of Row::kSorts
  Order order = Order::kDescending;
};

// The filters of a list, in the order of Row::kFilters: those that were asked for.
class ListFilters {
 public:
  template <class T>
  ListFilters& add(const std::optional<T>& value) {
    RowIndex one;
    one.filter(value);
    if (one.filters().front()) filters_.push_back({next_, *one.filters().front()});
    ++next_;
    return *this;
  }
  std::vector<ListFilter> take() { return std::move(filters_); }

 private:
  std::vector<ListFilter> filters_;
  std::size_t next_ = 0;
};

template <class Row>
Listed<Row> list_page(const Rows& rows, const Uuid& parent, ListFilters filters,
                      const PageRequest& page) {
  return rows.list<Row>(
      parent, {filters.take(), page.sort, page.order, (page.page - 1) * page.limit, page.limit});
}

}  // namespace tilth
