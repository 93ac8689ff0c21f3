#include "tests/simulation/land_wishes.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "command/land/block.h"
#include "command/land/crop.h"
#include "command/land/farm.h"
#include "command/land/plant.h"
#include "command/record.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using Known = KnownRecords;

Country a_country(const Chooser& chooser) {
  if (chooser.trades() && !chooser.once_in(12)) return Country::stored("Japan");
  return Country::stored(chooser.any({"Germany", "Japan", "Saudi Arabia"}));
}

TimeZone a_zone(const Chooser& chooser) {
  return TimeZone::stored(chooser.any({"UTC", "Asia/Tokyo", "America/New_York"}));
}

Date a_day_of_growth(const Chooser& chooser) {
  return chooser.day(chooser.any({-30, -1, 0, 1, 90}));
}

CropStatus a_stage(const Chooser& chooser) {
  using enum CropStatus;
  return chooser.any({kPlanted, kGrowing, kHarvested, kHarvested, kFailed});
}

Wish a_changed_field(const Chooser& chooser) {
  Update<Field> update{chooser.one_of(&Known::fields), {}};
  auto& changes = update.changes;
  chooser.maybe(changes.name, [&] { return chooser.name(); });
  chooser.maybe(changes.area, [&] { return chooser.number(); });
  chooser.maybe_null(changes.soil_ph, [&] { return chooser.number(); });
  chooser.maybe(changes.status, [&] {
    return chooser.any({FieldStatus::kFallow, FieldStatus::kActive});
  });
  chooser.maybe_null(changes.notes, [&] { return chooser.name(); });
  return wish_to_amend<Field>(chooser, std::move(update));
}

// Its harvest follows from its kind, which a variety names alone.
CropDetails<Own> a_crop_of_the_library(const Chooser& chooser) {
  CropDetails<Own> crop{.crop_type = chooser.crop_name()};
  if (!chooser.once_in(4)) crop.planting_date = a_day_of_growth(chooser);
  if (!chooser.reference().varieties.empty() && !chooser.once_in(3)) {
    crop.variety_id = chooser.one_of_all(&Known::varieties);
  } else if (!chooser.reference().library.empty()) {
    crop.admin_crop_id = chooser.one_of_all(&Known::library);
  }
  return crop;
}

// Often one that grows where the block lies.
CropId a_crop_for(const BlockPath& block, const Chooser& chooser) {
  const auto crop = chooser.one_of(&Known::crops);
  if (crop.field.field_id == block.field_id || chooser.once_in(2)) return crop.id;
  const auto& crops = chooser.known().crops;
  const auto there = std::ranges::find(crops, block.field_id,
                                       [](const auto& each) { return each.field.field_id; });
  return there == crops.end() ? crop.id : there->id;
}

Wish a_changed_block(const Chooser& chooser) {
  Update<Block> update{chooser.one_of(&Known::blocks), {}};
  auto& changes = update.changes;
  chooser.maybe(changes.crop_id, [&] { return a_crop_for(update.at, chooser); });
  chooser.maybe(changes.name, [&] { return chooser.name(); });
  chooser.maybe_null(changes.spacing_x, [&] { return chooser.number(); });
  chooser.maybe_null(changes.plant_density, [&] { return chooser.number(); });
  if (!chooser.reference().varieties.empty()) {
    chooser.maybe_null(changes.variety_id, [&] { return chooser.one_of_all(&Known::varieties); });
  }
  chooser.maybe(changes.status, [&] {
    return chooser.any({BlockStatus::kPlanned, BlockStatus::kMature});
  });
  return wish_to_amend<Block>(chooser, std::move(update));
}

// Fewer than other names, so that plants of one block meet.
PlantStatus a_condition(const Chooser& chooser) {
  return chooser.any({PlantStatus::kSick, PlantStatus::kAlive, PlantStatus::kDead});
}

std::string a_tag(const Chooser& chooser) { return chooser.any({"Tag 1", "Tag 2", "Tag 3"}); }

Wish a_changed_plant(const Chooser& chooser) {
  Update<Plant> update{chooser.one_of(&Known::plants), {}};
  auto& changes = update.changes;
  chooser.maybe(changes.label, [&] { return chooser.name(); });
  if (chooser.once_in(2)) {
    changes.tag_id.to = a_tag(chooser);
  } else {
    chooser.maybe_null(changes.tag_id, [&] { return a_tag(chooser); });
  }
  chooser.maybe(changes.status, [&] { return a_condition(chooser); });
  return wish_to_amend<Plant>(chooser, std::move(update));
}

}  // namespace

Wish a_new_farm(const Chooser& chooser) {
  Create<Farm> create{{}, {.name = chooser.name(), .total_area = Decimal(10)}};
  auto& details = create.details;
  details.area_unit = chooser.any({AreaUnit::kHectare, AreaUnit::kAcre});
  if (chooser.trades() || chooser.once_in(2)) details.country = a_country(chooser);
  if (chooser.once_in(3)) details.currency = chooser.currency();
  return wish_for(std::move(create));
}

Wish a_new_field(const Chooser& chooser) {
  FieldDetails<Own> field{.name = chooser.name(), .area = Decimal(4)};
  if (chooser.once_in(3)) field.soil_ph = chooser.number();
  return wish_for(Create<Field>{{chooser.one_of(&Known::farms)}, std::move(field)});
}

Wish a_new_crop(const Chooser& chooser) {
  const auto field = chooser.one_of(&Known::fields);
  if (chooser.grows()) {
    return wish_for(CreateCrop{{}, field.farm_id, field.field_id, a_crop_of_the_library(chooser)});
  }
  CropDetails<Own> crop{.crop_type = chooser.crop_name()};
  if (!chooser.reference().library.empty() && chooser.once_in(2)) {
    crop.admin_crop_id = chooser.one_of_all(&Known::library);
    crop.planting_date = chooser.today();
  } else if (chooser.once_in(3)) {
    crop.expected_harvest_date = a_day_of_growth(chooser);
  }
  if (!chooser.reference().varieties.empty() && chooser.once_in(4)) {
    crop.variety_id = chooser.one_of_all(&Known::varieties);
  }
  if (chooser.once_in(2)) crop.area = chooser.number();
  if (chooser.once_in(2)) crop.status = a_stage(chooser);
  if (crop.status == CropStatus::kHarvested && !chooser.once_in(3)) {
    crop.actual_yield = chooser.number();
    crop.yield_unit = chooser.any({YieldUnit::kKilogram, YieldUnit::kTon});
  }
  return wish_for(CreateCrop{{}, field.farm_id, field.field_id, std::move(crop)});
}

Wish a_new_block(const Chooser& chooser) {
  const auto [crop, field] = chooser.one_of(&Known::crops);
  BlockDetails<Own> block{.crop_id = crop, .name = chooser.name()};
  if (chooser.once_in(4)) block.spacing_x = chooser.number();
  if (chooser.once_in(2)) block.area = chooser.number();
  return wish_for(Create<Block>{field, std::move(block)});
}

Wish a_new_plant(const Chooser& chooser) {
  PlantDetails<Own> plant{.label = chooser.name()};
  if (!chooser.once_in(3)) plant.tag_id = a_tag(chooser);
  if (chooser.once_in(2)) plant.status = a_condition(chooser);
  const auto& blocks = chooser.known().blocks;  // often the same one, where tags meet
  const auto block = chooser.once_in(2) ? blocks.front() : chooser.one_of(&Known::blocks);
  return wish_for(Create<Plant>{block, std::move(plant)});
}

// Of several of one field, that which was taken last is the field's.
Wish a_new_sample(const Chooser& chooser) {
  SoilSampleDetails sample{.sampled_at = {chooser.now().at - chooser.any({0h, 1h, 2h})}};
  if (!chooser.once_in(4)) sample.ph = chooser.number();
  const auto& others = chooser.known().soil_samples;
  const bool again = !others.empty() && !chooser.once_in(3);
  const auto field = again ? others.back().parent : chooser.one_of(&Known::fields);
  return wish_for(Create<SoilSample>{field, std::move(sample)});
}

Wish a_new_operation(const Chooser& chooser) {
  const auto now = chooser.now();
  switch (chooser.world().below(chooser.known().blocks.empty() ? 3 : 5)) {
    case 0:
      return wish_for(Create<Irrigation>{chooser.one_of(&Known::fields),
                                         {.started_at = {now.at - chooser.any({0h, 719h, 721h})},
                                          .duration_minutes = 9,
                                          .water_volume = Decimal(1)}});
    case 1:
    case 2:
      return a_new_sample(chooser);
    case 3:
      return wish_for(Create<LeafSample>{chooser.one_of(&Known::blocks), {.sampled_at = now}});
    default:
      return wish_for(Create<Fertigation>{
          chooser.one_of(&Known::blocks),
          {.applied_at = now, .product = chooser.name(), .amount = Decimal(1)}});
  }
}

Wish a_changed_farm(const Chooser& chooser) {
  Update<Farm> update{{chooser.one_of(&Known::farms)}, {}};
  auto& changes = update.changes;
  if (!chooser.once_in(5)) changes.name.to = chooser.name();
  if (chooser.once_in(5)) changes.timezone.to = a_zone(chooser);
  chooser.maybe_null(changes.country, [&] {
    const bool leaves = chooser.trades() && chooser.once_in(2);
    return leaves ? Country::stored("Germany") : a_country(chooser);
  });
  chooser.maybe_null(changes.currency, [&] { return chooser.currency(); });
  return wish_to_amend<Farm>(chooser, std::move(update));
}

Wish a_farm_in_another_zone(const Chooser& chooser) {
  Update<Farm> update{{chooser.one_of(&Known::farms)}, {}};
  update.changes.timezone.to = a_zone(chooser);
  return wish_to_amend<Farm>(chooser, std::move(update));
}

// Its next stage, or other members.
Wish a_changed_crop(const Chooser& chooser) {
  const CropPath at{chooser.one_of(&Known::crops).id};
  if (chooser.once_in(3)) {
    MoveCrop move;
    move.at = at;
    move.status =
        chooser.any({CropStatus::kGrowing, CropStatus::kHarvested, CropStatus::kHarvested});
    chooser.maybe_null(move.actual_harvest_date, [&] { return a_day_of_growth(chooser); });
    return wish_to_amend<Crop>(chooser, std::move(move));
  }
  Update<Crop> update{at, {}};
  auto& changes = update.changes;
  if (chooser.grows() && !chooser.reference().library.empty() && chooser.once_in(3)) {
    // Alone, so that its variety stays, which need not be of that kind.
    changes.admin_crop_id.to = chooser.one_of_all(&Known::library);
    return wish_to_amend<Crop>(chooser, std::move(update));
  }
  chooser.maybe(changes.crop_type, [&] { return chooser.name(); });
  chooser.maybe_null(changes.planting_date, [&] { return a_day_of_growth(chooser); });
  chooser.maybe_null(changes.expected_harvest_date, [&] { return a_day_of_growth(chooser); });
  if (!chooser.reference().library.empty()) {
    chooser.maybe_null(changes.admin_crop_id, [&] { return chooser.one_of_all(&Known::library); });
  }
  if (!chooser.reference().varieties.empty()) {
    chooser.maybe_null(changes.variety_id, [&] { return chooser.one_of_all(&Known::varieties); });
  }
  chooser.maybe(changes.status, [&] { return a_stage(chooser); });
  chooser.maybe_null(changes.area, [&] { return chooser.number(); });
  chooser.maybe_null(changes.actual_yield, [&] { return chooser.number(); });
  return wish_to_amend<Crop>(chooser, std::move(update));
}

Wish a_field_with_another_ph(const Chooser& chooser) {
  const auto& samples = chooser.known().soil_samples;
  Update<Field> update{samples.empty() ? chooser.one_of(&Known::fields) : samples.back().parent,
                       {}};
  update.changes.soil_ph.to = chooser.number();
  return wish_to_amend<Field>(chooser, std::move(update));
}

Wish changed_land(const Chooser& chooser) {
  const auto& known = chooser.known();
  if (!known.plants.empty() && chooser.once_in(2)) return a_changed_plant(chooser);
  if (!known.blocks.empty() && chooser.once_in(3)) return a_changed_block(chooser);
  if (!known.crops.empty() && chooser.once_in(2)) return a_changed_crop(chooser);
  return a_changed_field(chooser);
}

Wish changed_growth(const Chooser& chooser) {
  const auto plants = chooser.known().plants.size();
  if (plants > 1 && chooser.once_in(2)) return a_changed_plant(chooser);
  return chooser.once_in(3) ? a_changed_crop(chooser) : a_changed_block(chooser);
}

Wish a_removed_farm(const Chooser& chooser) {
  return wish_to_remove<Farm>(chooser, {chooser.one_of(&Known::farms)});
}

Wish a_removed_field(const Chooser& chooser) {
  return wish_to_remove<Field>(chooser, chooser.one_of(&Known::fields));
}

Wish a_removed_operation(const Chooser& chooser) {
  RemovalOfOne removal(chooser);
  removal.offer<LeafSample>(&Known::leaf_samples);
  removal.offer<Fertigation>(&Known::fertigations);
  removal.offer<SoilSample>(&Known::soil_samples);
  removal.offer<Irrigation>(&Known::irrigations);
  const auto wish = removal.wish();
  return wish ? *wish : a_new_operation(chooser);
}

// Mostly the newest, which may be the one that says what is known of its field.
Wish a_removed_sample(const Chooser& chooser) {
  const auto& samples = chooser.known().soil_samples;
  const bool any = samples.empty() || chooser.once_in(3);
  return wish_to_remove<SoilSample>(chooser,
                                    any ? chooser.one_of(&Known::soil_samples) : samples.back());
}

Wish removed_land(const Chooser& chooser) {
  const auto& known = chooser.known();
  if (!known.plants.empty() && chooser.once_in(2)) {
    return wish_to_remove<Plant>(chooser, chooser.one_of(&Known::plants));
  }
  if (!known.blocks.empty() && chooser.once_in(2)) {
    return wish_to_remove<Block>(chooser, chooser.one_of(&Known::blocks));
  }
  return wish_to_remove<Crop>(chooser, {chooser.one_of(&Known::crops).id});
}

}  // namespace tilth::testing
