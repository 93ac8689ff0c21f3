// A plant row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/land/plant.h"
#include "projections/land/block.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Plant {
  using Created = PlantRegistered;
  using Amended = PlantAmended;
  using Removed = PlantRemoved;
  using Details = PlantDetails<Own>;
  using Changes = PlantDetails<Patch>;
  using ParentPath = BlockPath;
  using Path = struct PlantPath;

  static constexpr std::string_view kTable = "plant";
  static constexpr std::array<std::string_view, 2> kSorts{"createdAt", "label"};
  static constexpr std::array<std::string_view, 1> kFilters{"status"};
  static constexpr std::array kGoesWith{goes_with<Block>()};

  PlantId id;
  FarmId farm_id;
  FieldId field_id;
  BlockId block_id;
  PlantDetails<Own> details;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return block_id.uuid; }
  void index_to(RowIndex& index) const {
    index.filter(details.status);
    index.sort(created_at), index.sort(details.label);
    if (details.tag_id) index.unique(*details.tag_id);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id, {.hidden = true}),
       member("fieldId", field_id, {.hidden = true}), member("blockId", block_id));
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The path of a plant in a request. If the plant exists, so do its block, field and farm.
struct PlantPath {
  using Row = Plant;
  BlockPath block;
  PlantId plant_id;

  Uuid row_id() const { return plant_id.uuid; }
  bool leads_to(const Plant& plant) const {
    return plant.block_id == block.block_id && plant.field_id == block.field_id &&
           plant.farm_id == block.farm_id;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    block.serialize(ar);
    ar(member("plantId", plant_id));
  }
};

}  // namespace tilth
