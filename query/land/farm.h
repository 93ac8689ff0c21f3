// Queries on farms: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/land/farm.h"
#include "query/listing.h"

namespace tilth {

struct ListFarms {
  using Row = Farm;
  WholeStream at;
  std::optional<FarmStatus> status;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status));
  }
};

inline Result<Listed<Farm>> run_query(const Rows& rows, const ListFarms& query,
                                      const PageRequest& page) {
  return list_page<Farm>(rows, {}, ListFilters().add(query.status), page);
}

}  // namespace tilth
