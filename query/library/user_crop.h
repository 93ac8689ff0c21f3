// Queries on a grower's shortlist.

#pragma once

#include <optional>
#include <utility>

#include "projections/library/user_crop.h"
#include "query/listing.h"

namespace tilth {

struct ListUserCrops {
  using Row = UserCrop;
  WholeStream at;
  std::optional<FarmId> farm_id;
  std::optional<UserCropSource> source;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("source", source));
  }
};

// Each has the current name of the library's crop.
inline Result<Listed<UserCrop>> run_query(const Rows& rows, const ListUserCrops& query,
                                          const PageRequest& page) {
  auto listed =
      list_page<UserCrop>(rows, {}, ListFilters().add(query.farm_id).add(query.source), page);
  for (auto& entry : listed.rows) entry = as_named_now(rows, std::move(entry));
  return listed;
}

}  // namespace tilth
