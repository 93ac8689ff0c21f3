// What grows on a farm, for queries about all of it.

#pragma once

#include <optional>

#include "events/values/units.h"
#include "projections/land/plant.h"
#include "projections/library/admin_crop.h"
#include "query/analytics/health_formulas.h"
#include "query/land/block.h"

namespace tilth {

// Counts the plants of all those blocks; the cost does not depend on their number.
PlantCounts count_plants(const Rows& rows, const ListBlocks& blocks);
PlantCounts count_plants(const Rows& rows, const Crop& crop);

// The pH range of the library's crop; open where the library has none.
PhRange ph_range(const std::optional<AdminCrop>& crop);

// The library's data for a crop, found by its kind, its variety or its name.
inline LibraryKind kind_of(const Rows& rows, const Crop& crop) {
  const auto& details = crop.details;
  return find_kind_or_named(rows, details.admin_crop_id, details.variety_id, details.crop_type);
}

// The hectares of a crop on a farm that measures in `unit`: the recorded area, else the sum of its
// blocks' areas; null if that is zero.
std::optional<Fraction> hectares_of(const Rows& rows, const Crop& crop, AreaUnit unit);

}  // namespace tilth
