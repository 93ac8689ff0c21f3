// A library crop as an operator describes it: one entry of a library document.

#pragma once

#include <optional>
#include <vector>

#include "command/decision.h"
#include "projections/library/admin_crop.h"

namespace tilth {

struct DescribeVariety {
  std::optional<VarietyId> id;
  VarietyDetails<Patch> changes;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    changes.serialize(ar);
  }
};

// A crop is identified by its id, else by its name, ignoring case; so is a variety within its crop.
// Members that are not given stay unchanged, those within a yield or a climate too.
struct DescribeCrop {
  std::optional<AdminCropId> id;
  AdminCropDetails<Patch> changes;
  std::vector<DescribeVariety> varieties;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    changes.serialize(ar);
    ar(member("varieties", varieties));
  }
};

// The library's crop that the command describes, if there is one.
std::optional<AdminCrop> find_described(const Rows& reference, const DescribeCrop&);

// AdminCropDescribed; nothing if nothing changes. kInvalid: a new crop or variety has no name,
// another has that name, a range ends below its beginning, or a variety belongs to another crop or
// is described twice. Decided on the reference stream.
Decision decide(const Rows&, const DescribeCrop&, const Context&);

}  // namespace tilth
