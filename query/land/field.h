// Queries on fields: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/land/field.h"
#include "query/listing.h"

namespace tilth {

struct ListFields {
  using Row = Field;
  FarmPath at;
  std::optional<FieldStatus> status;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status));
  }
};

// kNotFound: there is no such farm.
inline Result<Listed<Field>> run_query(const Rows& rows, const ListFields& query,
                                       const PageRequest& page) {
  if (!find(rows, query.at)) {
    return Error{ErrorCode::kNotFound, "There is no such farm."};
  }
  return list_page<Field>(rows, query.at.row_id(), ListFilters().add(query.status), page);
}

}  // namespace tilth
