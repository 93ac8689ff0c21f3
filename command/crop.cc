#include "command/crop.h"

namespace tilth {
namespace {

const Error kNoFarm{ErrorCode::kNotFound, "There is no such farm."};
const Error kNoField{ErrorCode::kNotFound, "There is no such field on this farm."};
const Error kNoCrop{ErrorCode::kNotFound, "There is no such crop."};
const Error kNotInLibrary{ErrorCode::kNotFound, "The crop library has no such crop or variety."};
constexpr auto kTooEarly = "must not be before plantingDate";

bool too_early(const std::optional<Date>& planted, const std::optional<Date>& harvested) {
  return planted && harvested && *harvested < *planted;
}

// Until there is a crop library, none of it can be named.
template <class Id>
bool names_one(const Patch<std::optional<Id>>& patch) {
  return patch.to && *patch.to;
}

Date today_on(const Rows& rows, const FarmId& farm_id, Timestamp now) {
  const auto farm = rows.find(farm_id);
  return date_in(farm ? farm->details.timezone : TimeZone{}, now);
}

}  // namespace

void RegisterCrop::check(Issues& issues) const {
  if (!issues.contains("plantingDate") && !issues.contains("expectedHarvestDate") &&
      too_early(details.planting_date, details.expected_harvest_date)) {
    issues["expectedHarvestDate"].push_back(kTooEarly);
  }
}

void AmendCrop::check(Issues& issues) const {
  const auto& planted = changes.planting_date.to;
  const auto& harvested = changes.expected_harvest_date.to;
  if (!issues.contains("plantingDate") && !issues.contains("expectedHarvestDate") && planted &&
      harvested && too_early(*planted, *harvested)) {
    issues["expectedHarvestDate"].push_back(kTooEarly);
  }
}

Decision decide(const Rows& rows, const RegisterCrop& command, const Context& context) {
  const auto& [at, farm_id, field_id, details] = command;
  if (!rows.find(farm_id)) return kNoFarm;
  if (!find(rows, FieldPath{farm_id, field_id})) return kNoField;
  if (details.admin_crop_id || details.variety_id) return kNotInLibrary;
  CropRegistered event{{context.new_id}, farm_id, field_id, details, context.now};
  auto& harvested_on = event.details.actual_harvest_date;
  if (details.status == CropStatus::kHarvested && !harvested_on) {
    harvested_on = today_on(rows, farm_id, context.now);
  }
  return event;
}

Decision decide(const Rows& rows, const AmendCrop& command, const Context& context) {
  const auto crop = find(rows, command.at);
  if (!crop) return kNoCrop;
  auto changes = command.changes;
  if (names_one(changes.admin_crop_id) || names_one(changes.variety_id)) return kNotInLibrary;
  if (changes.admin_crop_id.to) changes.variety_id.to.emplace();  // null clears both
  auto after = crop->details;
  apply(changes, after);
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
  return CropAmended{crop->id, changes, context.now};
}

Decision decide(const Rows& rows, const MoveCrop& command, const Context& context) {
  CropDetails<Patch> changes;
  changes.status.to = command.status;
  changes.actual_harvest_date = command.actual_harvest_date;
  changes.actual_yield = command.actual_yield;
  return decide(rows, AmendCrop{command.at, changes}, context);
}

Decision decide(const Rows& rows, const RemoveCrop& command, const Context& context) {
  const auto crop = find(rows, command.at);
  if (!crop) return kNoCrop;
  if (const auto held = context.permits(*crop); !held) return held.error();
  return CropRemoved{crop->id, context.now};
}

}  // namespace tilth
