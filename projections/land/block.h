// A block row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/land/block.h"
#include "projections/land/crop.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Block {
  using Created = BlockRegistered;
  using Amended = BlockAmended;
  using Removed = BlockRemoved;
  using Details = BlockDetails<Own>;
  using Changes = BlockDetails<Patch>;
  using ParentPath = FieldPath;
  using Path = struct BlockPath;

  static constexpr std::string_view kTable = "block";
  static constexpr std::array<std::string_view, 2> kSorts{"createdAt", "name"};
  static constexpr std::array<std::string_view, 2> kFilters{"status", "cropId"};
  static constexpr std::size_t kCropFilter = 1;
  static constexpr std::array kGoesWith{goes_with<Field>(),
                                        goes_with<Crop, kCropFilter, &Crop::field_id>()};

  BlockId id;
  FarmId farm_id;
  FieldId field_id;
  BlockDetails<Own> details;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return field_id.uuid; }
  void index_to(RowIndex& index) const {
    index.filter(details.status), index.filter(details.crop_id);
    index.sort(created_at), index.sort(details.name);
  }

  // As in responses: a missing density follows from the spacings (docs/api.md, "Block").
  Block shown() const {
    Block block = *this;
    auto& density = block.details.plant_density;
    if (!density && details.spacing_x && details.spacing_y) {
      density = Decimal::per_hectare(*details.spacing_x, *details.spacing_y);
      if (density && *density > Decimal(1'000'000)) density.reset();
    }
    return block;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id), member("fieldId", field_id));
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The path of a block in a request. If the block exists, so do its field and farm.
struct BlockPath {
  using Row = Block;
  FarmId farm_id;
  FieldId field_id;
  BlockId block_id;

  Uuid row_id() const { return block_id.uuid; }
  bool leads_to(const Block& block) const {
    return block.field_id == field_id && block.farm_id == farm_id;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", farm_id), member("fieldId", field_id), member("blockId", block_id));
  }
};

}  // namespace tilth
