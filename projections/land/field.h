// A field row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/land/field.h"
#include "events/operations/soil_sample.h"
#include "projections/land/farm.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Field {
  using Created = FieldRegistered;
  using Amended = FieldAmended;
  using Removed = FieldRemoved;
  using Details = FieldDetails<Own>;
  using Changes = FieldDetails<Patch>;
  using ParentPath = FarmPath;
  using Path = struct FieldPath;

  static constexpr std::string_view kTable = "field";
  static constexpr std::array<std::string_view, 3> kSorts{"createdAt", "name", "area"};
  static constexpr std::array<std::string_view, 1> kFilters{"status"};
  static constexpr std::array kGoesWith{goes_with<Farm>()};

  FieldId id;
  FarmId farm_id;
  FieldDetails<Own> details;
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<SoilSampleId> soil_ph_from = {};  // null: the farmer entered it

  Uuid parent() const { return farm_id.uuid; }
  void index_to(RowIndex& index) const {
    index.filter(details.status);
    index.sort(created_at), index.sort(details.name), index.sort(details.area);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id));
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", updated_at),
       member("soilPhFrom", soil_ph_from, {.hidden = true}));
  }
};

// The path of a field in a request. If the field exists, so does its farm.
struct FieldPath {
  using Row = Field;
  FarmId farm_id;
  FieldId field_id;

  Uuid row_id() const { return field_id.uuid; }
  bool leads_to(const Field& field) const { return field.farm_id == farm_id; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", farm_id), member("fieldId", field_id));
  }
};

}  // namespace tilth
