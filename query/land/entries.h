// Queries on entries: by parent and by period.

#pragma once

#include <utility>

#include "projections/land/record.h"
#include "query/listing.h"
#include "query/period.h"

namespace tilth {

template <class Of>
struct ListEntries {
  using Row = Of;
  typename Row::ParentPath at;
  Period<typename Row::Time> period;

  template <class Archive>
  void serialize(Archive& ar) {
    period.serialize(ar);
  }
  void check(Issues& issues) const { period.check(issues); }
  ListFilters filters() const { return {}; }
};

// kNotFound: their parent does not exist.
template <class Query>
requires requires { Query::Row::kTime; }
Result<Listed<typename Query::Row>> run_query(const Rows& rows, const Query& query,
                                              const PageRequest& page) {
  using Row = typename Query::Row;
  const auto on = find(rows, query.at);
  if (!on) return there_is_no<typename decltype(on)::value_type>();
  auto filters = query.filters().cut(Row::kTime, query.period.from, query.period.until());
  return list_page<Row>(rows, query.at.row_id(), std::move(filters), page);
}

}  // namespace tilth
