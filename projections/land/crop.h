// A crop row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/land/crop.h"
#include "events/values/text.h"
#include "projections/land/field.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Crop {
  using Created = CropRegistered;
  using Amended = CropAmended;
  using Removed = CropRemoved;
  using Details = CropDetails<Own>;
  using Changes = CropDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct CropPath;

  static constexpr std::string_view kTable = "crop";
  static constexpr std::array<std::string_view, 4> kSorts{"createdAt", "plantingDate",
                                                          "expectedHarvestDate", "cropType"};
  static constexpr std::array<std::string_view, 4> kFilters{"farmId", "fieldId", "status",
                                                            "cropType"};
  static constexpr std::size_t kFarmFilter = 0, kFieldFilter = 1;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>(),
                                        goes_with<Field, kFieldFilter>()};

  CropId id;
  FarmId farm_id;
  FieldId field_id;
  CropDetails<Own> details;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(farm_id), index.filter(field_id), index.filter(details.status);
    index.filter(fold_case(details.crop_type));
    index.sort(created_at), index.sort(details.planting_date);
    index.sort(details.expected_harvest_date), index.sort(details.crop_type);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id), member("fieldId", field_id));
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The path of a crop in a request.
struct CropPath {
  using Row = Crop;
  CropId crop_id;

  Uuid row_id() const { return crop_id.uuid; }
  bool leads_to(const Crop&) const { return true; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", crop_id));
  }
};

}  // namespace tilth
