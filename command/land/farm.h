// Further rules for a farm.

#pragma once

#include "command/record.h"
#include "projections/land/farm.h"

namespace tilth {

template <>
struct RecordRules<Farm> {
  // kPlanLimitExceeded: the plan allows no more farms. kConflict: a farm has that name.
  static Status complete(const Rows&, const WholeStream&, FarmDetails<Own>&, const FarmId&,
                         const Context&);
  // kConflict: another farm has that name.
  static Status conflicts(const Rows&, const Farm& before, const FarmDetails<Patch>&);
};

}  // namespace tilth
