// What an operator may say of a crop of the library: one entry of a library document.

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

// A crop is the same when its id, else its name without case is the same; so is a variety within
// its crop. What is not said stays as it is.
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

// The crop that the command is about, if it is in the library.
std::optional<AdminCrop> find_described(const Rows& reference, const DescribeCrop&);

// AdminCropDescribed; nothing if all of it is so already. kInvalid: a new crop or variety has no
// name, another has that name, or a variety is another crop's or said twice. Decided on the
// reference stream.
Decision decide(const Rows&, const DescribeCrop&, const Context&);

}  // namespace tilth
