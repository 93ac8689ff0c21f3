// Pages of lists: the page that is requested, and its rows.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

// A list of a whole stream that is merged with others.
struct ListPart {
  Rows rows;
  Listing listing = {};    // its offset moves on
  std::uint64_t left = 0;  // rows behind the offset

  template <class Row>
  Listed<Row> read(std::uint64_t offset, std::uint64_t limit) const {
    auto wanted = listing;
    wanted.offset += offset, wanted.limit = limit;
    return rows.list<Row>({}, wanted);
  }
};

template <class Row>
RankedKey key_in(const PageRequest& page, const Row& row) {
  return {index_of(row).sorts()[page.sort], std::string(row.id.uuid.key())};
}

// At most so many rows of each part are read only to be skipped.
inline constexpr std::uint64_t kMostSkipped = 256;

// Moves the parts on while more than kMostSkipped rows of the merged list come before the page;
// returns how many still do.
template <class Row>
std::uint64_t skip_rows(std::vector<ListPart>& parts, std::uint64_t skip, const PageRequest& page) {
  while (skip > kMostSkipped) {
    // Of all parts' rows at this step, the first one comes after at most `skip` rows: each other
    // part has fewer than `step` before it.
    const auto step = skip / parts.size();
    ListPart* leading = nullptr;
    std::optional<RankedKey> first;
    for (auto& part : parts) {
      if (part.left < step) continue;
      const auto at_step = part.template read<Row>(step - 1, 1).rows;
      if (at_step.empty()) continue;
      auto key = key_in(page, at_step.front());
      if (first && !comes_before(key, *first, page.order)) continue;
      first = std::move(key), leading = &part;
    }
    if (leading == nullptr) break;
    leading->listing.offset += step, leading->left -= step, skip -= step;
  }
  return skip;
}

// One page of several lists merged into one. Any page costs about what the first does.
template <class Row>
Listed<Row> merge_page(std::vector<ListPart> parts, const PageRequest& page) {
  Listed<Row> merged;
  for (auto& part : parts) {
    part.left = part.template read<Row>(0, 0).total;
    merged.total += part.left;
  }
  const auto before = (page.page - 1) * page.limit;
  if (before >= merged.total) return merged;
  const auto skip = skip_rows<Row>(parts, before, page);
  std::vector<std::pair<RankedKey, Row>> all;
  for (const auto& part : parts) {
    for (auto& row : part.template read<Row>(0, skip + page.limit).rows) {
      auto key = key_in(page, row);
      all.emplace_back(std::move(key), std::move(row));
    }
  }
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return comes_before(a.first, b.first, page.order);
  });
  const auto end = std::min<std::uint64_t>(all.size(), skip + page.limit);
  for (auto i = skip; i < end; ++i) merged.rows.push_back(std::move(all[i].second));
  return merged;
}

// Visits every row of a list, in the order of `page`, reading `at_once` at a time.
template <class Query, class Visit>
void for_each_row(const Rows& rows, const Query& question, PageRequest page, Visit visit,
                  std::uint64_t at_once = 500) {
  for (page.page = 1, page.limit = at_once;; ++page.page) {
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
