// The farm, field, block or crop that a record belongs to.

#pragma once

#include <string_view>

#include "events/log/record_events.h"

namespace tilth {

using FarmId = Id<struct Farm>;
using FieldId = Id<struct Field>;
using CropId = Id<struct Crop>;
using BlockId = Id<struct Block>;
using PlantId = Id<struct Plant>;

// The innermost one is the parent of the record, which is removed with it.
struct OnFarm {
  FarmId farm_id;

  Uuid innermost() const { return farm_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id));
  }
};

struct OnField {
  FarmId farm_id;
  FieldId field_id;

  Uuid innermost() const { return field_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("fieldId", field_id));
  }
};

struct OnBlock {
  FarmId farm_id;
  FieldId field_id;
  BlockId block_id;

  Uuid innermost() const { return block_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("fieldId", field_id), member("blockId", block_id));
  }
};

struct OnCrop {
  CropId crop_id;
  FarmId farm_id;

  Uuid innermost() const { return crop_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropId", crop_id), member("farmId", farm_id));
  }
};

}  // namespace tilth
