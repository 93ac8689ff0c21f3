// Further rules for a plant.

#pragma once

#include "command/record.h"
#include "projections/land/plant.h"

namespace tilth {

template <>
struct RecordRules<Plant> {
  // kConflict: the block has a plant with that tag.
  static Status complete(const Rows&, const BlockPath&, PlantDetails<Own>&, const PlantId&,
                         const Context&);
  static Status conflicts(const Rows&, const Plant& before, const PlantDetails<Patch>&);
};

}  // namespace tilth
