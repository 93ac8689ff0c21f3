// What is written down once – work done, a sample taken, money – and never amended: that it was
// recorded, and where, and that it was removed. Each kind of entry names its own two events.

#pragma once

#include <string_view>

#include "events/block.h"

namespace tilth {

// What an entry is about. The innermost is its parent: what it goes with.
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

// `Of` is the row, which events do not know more of than its id.
template <class Of, class Where, class Details>
struct EntryRecorded {
  Id<Of> id;
  Where where;
  Details details;
  Timestamp recorded_at;

 protected:
  // `more` is what was decided beside what was said.
  template <class Archive, class... More>
  void list(Archive& ar, std::string_view id_name, Member<More>... more) {
    ar(member(id_name, id));
    where.serialize(ar);
    details.serialize(ar);
    ar(more..., member("recordedAt", recorded_at));
  }
};

template <class Of>
struct EntryRemoved {
  Id<Of> id;
  Timestamp removed_at;

 protected:
  template <class Archive>
  void list(Archive& ar, std::string_view id_name) {
    ar(member(id_name, id), member("removedAt", removed_at));
  }
};

}  // namespace tilth
