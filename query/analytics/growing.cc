#include "query/analytics/growing.h"

namespace tilth {
namespace {

std::uint64_t count(const Rows& rows, const Block& block, PlantStatus status) {
  constexpr std::size_t kStatus = 0;
  static_assert(Plant::kFilters[kStatus] == "status");
  return rows.list<Plant>(block.id.uuid, {.filters = {{kStatus, std::string(name_of(status))}}})
      .total;
}

ListBlocks blocks_of(const Crop& crop) {
  return {.at = {crop.farm_id, crop.field_id}, .status = {}, .crop_id = crop.id};
}

}  // namespace

PlantCounts count_plants(const Rows& rows, const ListBlocks& blocks) {
  PlantCounts all;
  for_each_row(rows, blocks, {}, [&](const Block& block) {
    all += {count(rows, block, PlantStatus::kAlive), count(rows, block, PlantStatus::kSick),
            count(rows, block, PlantStatus::kDead)};
  });
  return all;
}

PlantCounts count_plants(const Rows& rows, const Crop& crop) {
  return count_plants(rows, blocks_of(crop));
}

PhRange ph_range(const std::optional<AdminCrop>& crop) {
  PhRange range;
  if (!crop) return range;
  if (crop->details.soil_ph_min) range.min = exact(*crop->details.soil_ph_min);
  if (crop->details.soil_ph_max) range.max = exact(*crop->details.soil_ph_max);
  return range;
}

std::optional<Fraction> hectares_of(const Rows& rows, const Crop& crop, AreaUnit unit) {
  if (crop.details.area) return hectares(*crop.details.area, unit);
  Fraction area;
  for_each_row(rows, blocks_of(crop), {}, [&](const Block& block) {
    if (block.details.area) area += hectares(*block.details.area, unit);
  });
  return area > 0 ? std::optional(area) : std::nullopt;
}

}  // namespace tilth
