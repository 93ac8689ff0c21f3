#include "command/land/crop.h"

#include "projections/library/admin_crop.h"

namespace tilth {
namespace {

const Error kNoField{ErrorCode::kNotFound, "There is no such field on this farm."};
const Error kNotInLibrary{ErrorCode::kNotFound, "The crop library has no such crop or variety."};
constexpr auto kTooEarly = "must not be before plantingDate";

bool too_early(const std::optional<Date>& planted, const std::optional<Date>& harvested) {
  return planted && harvested && *harvested < *planted;
}

// The library entries in a request must be listed, and match each other and the existing ones. A
// variety alone implies its crop; no crop means no variety.
Status resolve_kind(const Rows& rows, CropDetails<Patch>& changes, const CropDetails<Own>& before) {
  auto& crop = changes.admin_crop_id.to;
  auto& variety = changes.variety_id.to;
  const bool names_variety = variety && *variety;
  if (crop && !*crop) {
    if (names_variety) return kNotInLibrary;
    variety.emplace();
    return kDone;
  }
  if (crop && !find(rows, AdminCropPath{**crop})) return kNotInLibrary;
  if (names_variety) {
    const auto named = find_variety(rows, **variety);
    if (!named || (crop && **crop != named->admin_crop_id)) return kNotInLibrary;
    crop = named->admin_crop_id;
  } else if (crop && !variety && before.variety_id) {
    const auto kept = rows.reference().find(*before.variety_id);
    if (!kept || kept->admin_crop_id != **crop) return kNotInLibrary;
  }
  return kDone;
}

// From its planting date and the library's days to maturity; null if either is unknown.
std::optional<Date> usual_harvest(const Rows& rows, const CropDetails<Own>& crop) {
  static const auto kLastDate = Date::parse("9999-12-31").value();
  const auto days =
      find_kind(rows, crop.admin_crop_id, crop.variety_id)
          .of(&VarietyDetails<Own>::days_to_maturity, &AdminCropDetails<Own>::days_to_maturity);
  if (!days || !crop.planting_date) return std::nullopt;
  const Date harvest{crop.planting_date->day + std::chrono::days(*days)};
  return harvest <= kLastDate ? std::optional(harvest) : std::nullopt;
}

Date today_on(const Rows& rows, const FarmId& farm_id, Timestamp now) {
  const auto farm = rows.find(farm_id);
  return date_in(farm ? farm->details.timezone : TimeZone{}, now);
}

}  // namespace

void CreateCrop::check(Issues& issues) const {
  if (!issues.contains("plantingDate") && !issues.contains("expectedHarvestDate") &&
      too_early(details.planting_date, details.expected_harvest_date)) {
    issues["expectedHarvestDate"].push_back(kTooEarly);
  }
}

void RecordRules<Crop>::check(const CropDetails<Patch>& changes, Issues& issues) {
  const auto& planted = changes.planting_date.to;
  const auto& harvested = changes.expected_harvest_date.to;
  if (!issues.contains("plantingDate") && !issues.contains("expectedHarvestDate") && planted &&
      harvested && too_early(*planted, *harvested)) {
    issues["expectedHarvestDate"].push_back(kTooEarly);
  }
}

Decision decide(const Rows& rows, const CreateCrop& command, const Context& context) {
  const auto& [at, farm_id, field_id, details] = command;
  if (!rows.find(farm_id)) return there_is_no<Farm>();
  if (!find(rows, FieldPath{farm_id, field_id})) return kNoField;
  CropDetails<Patch> named;
  if (details.admin_crop_id) named.admin_crop_id.to = details.admin_crop_id;
  if (details.variety_id) named.variety_id.to = details.variety_id;
  if (const auto resolved = resolve_kind(rows, named, {}); !resolved) return resolved.error();
  CropRegistered event{{{context.new_id}, {farm_id, field_id}, details, context.now}};
  apply(named, event.details);
  auto& expected = event.details.expected_harvest_date;
  if (!expected) expected = usual_harvest(rows, event.details);
  auto& harvested_on = event.details.actual_harvest_date;
  if (details.status == CropStatus::kHarvested && !harvested_on) {
    harvested_on = today_on(rows, farm_id, context.now);
  }
  return event;
}

Decision decide(const Rows& rows, const Update<Crop>& command, const Context& context) {
  const auto crop = find(rows, command.at);
  if (!crop) return there_is_no<Crop>();
  auto changes = command.changes;
  if (const auto resolved = resolve_kind(rows, changes, crop->details); !resolved) {
    return resolved.error();
  }
  auto after = crop->details;
  apply(changes, after);
  auto& expected = changes.expected_harvest_date.to;
  if (changes.planting_date.to && !expected && !after.expected_harvest_date) {
    after.expected_harvest_date = usual_harvest(rows, after);
    if (after.expected_harvest_date) expected = after.expected_harvest_date;
  }
  if (too_early(after.planting_date, after.expected_harvest_date)) {
    return Error{ErrorCode::kInvalid,
                 "The body does not fit the crop.",
                 {{"expectedHarvestDate", {kTooEarly}}}};
  }
  if (const auto held = context.permits(*crop); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  const bool harvested = after.status == CropStatus::kHarvested;
  if (harvested && crop->details.status != after.status && !after.actual_harvest_date) {
    changes.actual_harvest_date.to = today_on(rows, crop->farm_id, context.now);
  }
  return CropAmended{{crop->id, changes, context.now}};
}

Decision decide(const Rows& rows, const MoveCrop& command, const Context& context) {
  CropDetails<Patch> changes;
  changes.status.to = command.status;
  changes.actual_harvest_date = command.actual_harvest_date;
  changes.actual_yield = command.actual_yield;
  return decide(rows, Update<Crop>{command.at, changes}, context);
}

}  // namespace tilth
