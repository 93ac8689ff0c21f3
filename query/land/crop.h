// Queries on crops: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/land/crop.h"
#include "query/listing.h"

namespace tilth {

struct ListCrops {
  using Row = Crop;
  WholeStream at;
  std::optional<FarmId> farm_id;
  std::optional<FieldId> field_id;
  std::optional<CropStatus> status;
  std::optional<std::string> crop_type;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("fieldId", field_id), member("status", status),
       member("cropType", crop_type));
  }
};

inline Result<Listed<Crop>> run_query(const Rows& rows, const ListCrops& query,
                                      const PageRequest& page) {
  const auto type = query.crop_type ? std::optional(fold_case(*query.crop_type)) : std::nullopt;
  return list_page<Crop>(
      rows, {}, ListFilters().add(query.farm_id).add(query.field_id).add(query.status).add(type),
      page);
}

}  // namespace tilth
