#include "command/price_report.h"

#include <algorithm>
#include <string_view>

#include "projections/admin_crop.h"

namespace tilth {
namespace {

// What the library's crop of that name says, whatever the case and the spaces around it.
std::optional<Figure> bushel_weight_kg(const Rows& rows, std::string_view crop_name) {
  const auto name = crop_name.substr(std::min(crop_name.find_first_not_of(' '), crop_name.size()));
  const auto key = fold_case(name.substr(0, name.find_last_not_of(' ') + 1));
  const auto id = rows.reference().find_unique<AdminCrop>({}, key);
  const auto crop = id ? find(rows, AdminCropPath{*id}) : std::nullopt;
  return crop ? crop->details.bushel_weight_kg : std::nullopt;
}

}  // namespace

void ReportPrice::check(Issues& issues, Timestamp now) const {
  if (details.observed_on.day > now.at) {
    issues["observedOn"].emplace_back("must not be after today, in UTC");
  }
}

Decision decide(const Rows& rows, const ReportPrice& command, const Context& context) {
  const auto farm = rows.find(command.farm_id);
  if (!farm) return there_is_no<Farm>();
  auto details = command.details;
  details.currency = farm->currency_of(details.currency);
  std::optional<Decimal> bushel;
  if (details.unit == PriceUnit::kPerBushel) {
    const auto weight = bushel_weight_kg(rows, details.crop_name);
    if (!weight) {
      return Error{ErrorCode::kInvalid,
                   "The body does not fit the crop library.",
                   {{"unit", {"needs a crop of the library that says what a bushel weighs"}}}};
    }
    bushel = *weight;
  }
  return PriceReported{{{context.new_id}, where(*farm), details, context.now}, bushel};
}

}  // namespace tilth
