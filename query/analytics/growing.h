// What grows on a farm, as questions about all of it need to know it.

#pragma once

#include <optional>

#include "events/values/units.h"
#include "projections/land/plant.h"
#include "projections/library/admin_crop.h"
#include "query/analytics/health_formulas.h"
#include "query/land/block.h"

namespace tilth {

// Of all those blocks; it costs no more where more stands on them.
PlantCounts count_plants(const Rows& rows, const ListBlocks& blocks);
PlantCounts count_plants(const Rows& rows, const Crop& crop);

// Of the library's crop; open where it says nothing.
PhRange ph_range(const std::optional<AdminCrop>& crop);

// What the library knows of a crop that names its kind or its variety, or is called so.
inline LibraryKind kind_of(const Rows& rows, const Crop& crop) {
  const auto& details = crop.details;
  return find_kind_or_named(rows, details.admin_crop_id, details.variety_id, details.crop_type);
}

// Of a crop on a farm that measures in `unit`: the area that it was said to have, else the sum of
// its blocks' areas; null where that is nothing.
std::optional<Fraction> hectares_of(const Rows& rows, const Crop& crop, AreaUnit unit);

}  // namespace tilth
