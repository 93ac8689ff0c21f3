// Queries on plants: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/land/plant.h"
#include "query/listing.h"

namespace tilth {

struct ListPlants {
  using Row = Plant;
  BlockPath at;
  std::optional<PlantStatus> status;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status));
  }
};

// kNotFound: there is no such block.
inline Result<Listed<Plant>> run_query(const Rows& rows, const ListPlants& query,
                                       const PageRequest& page) {
  if (!find(rows, query.at)) {
    return Error{ErrorCode::kNotFound, "There is no such block."};
  }
  return list_page<Plant>(rows, query.at.row_id(), ListFilters().add(query.status), page);
}

}  // namespace tilth
