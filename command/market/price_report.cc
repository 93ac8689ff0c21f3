#include "command/market/price_report.h"

#include "projections/library/admin_crop.h"

namespace tilth {

void CreatePriceReport::check(Issues& issues, Timestamp now) const {
  if (details.observed_on.day > now.at) {
    issues["observedOn"].emplace_back("must not be after today, in UTC");
  }
}

Decision decide(const Rows& rows, const CreatePriceReport& command, const Context& context) {
  const auto farm = rows.find(command.farm_id);
  if (!farm) return there_is_no<Farm>();
  auto details = command.details;
  details.currency = farm->currency_of(details.currency);
  std::optional<Decimal> bushel;
  if (details.unit == PriceUnit::kPerBushel) {
    const auto crop = find_named(rows, details.crop_name);
    if (!crop || !crop->details.bushel_weight_kg) {
      return Error{ErrorCode::kInvalid,
                   "The body does not fit the crop library.",
                   {{"unit", {"needs a crop of the library with the weight of a bushel"}}}};
    }
    bushel = *crop->details.bushel_weight_kg;
  }
  return PriceReported{{{context.new_id}, where(*farm), details, context.now}, bushel};
}

}  // namespace tilth
