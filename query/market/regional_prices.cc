#include "query/market/regional_prices.h"

#include <utility>

#include "events/json/json_writer.h"
#include "events/values/text.h"
#include "projections/library/admin_crop.h"
#include "projections/market/country_prices.h"

namespace tilth {
namespace {

RegionalPriceFigures figures_of(const CropPrices& crop, const Currency& currency, int digits) {
  const auto price = [&](const Integer& units) { return Computed{scaled_text(units, digits)}; };
  const auto& sums = crop.sums;
  return {.avg_price = price(crop.average),
          .min_price = price(crop.lowest),
          .max_price = price(crop.highest),
          .currency = currency,
          .sample_size = static_cast<std::int64_t>(sums.farms),
          .sources = {static_cast<std::int64_t>(sums.reporting),
                      static_cast<std::int64_t>(sums.selling)}};
}

// The name under which the prices of a crop with that name are shown.
std::string canonical_name(const Rows& market, std::string_view name) {
  const auto known = find_named(market, name);
  return known ? known->details.name : tidied(name);
}

}  // namespace

std::shared_ptr<const RegionalPrices::Kept> RegionalPrices::prices_of(const Rows& market,
                                                                      const Country& country) {
  auto mark = prices_mark(market, country.name);
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(country.name);
    if (kept != kept_.end() && kept->second->mark == mark) return kept->second;
  }
  auto prices = std::make_shared<Kept>();
  prices->mark = std::move(mark);
  prices->currency = Currency{country.currency()};
  const auto digits = prices->currency.minor_digits();
  for_each_price(market, country.name, digits, [&](const CropPrices& crop) {
    if (crop.sums.owners < min_owners_) return;
    Price price{JsonWriter::members(PricedCrop{crop.crop_name}),
                JsonWriter::members(figures_of(crop, prices->currency, digits))};
    prices->bytes += price.crop.size() + price.figures.size();
    prices->prices[crop.crop_name] = std::move(price);
  });
  const std::lock_guard lock(mutex_);
  return kept_[country.name] = std::move(prices);
}

std::string RegionalPrices::render(const Rows& market, const AskRegionalPrices& query) {
  const auto& [country, spelled] = *query.country;
  const auto prices = prices_of(market, country);
  const auto region = JsonWriter::members(PricedRegion{spelled});
  std::string body = R"({"data":[)";
  std::int64_t count = 0;
  const auto add = [&](const Price& price) {
    if (count++ > 0) body.push_back(',');
    body.append(1, '{').append(price.crop).append(1, ',').append(region);
    body.append(1, ',').append(price.figures).append(1, '}');
  };
  if (!query.crop_name) {
    constexpr std::size_t kMeta = 256, kPunctuation = 5;
    body.reserve(prices->bytes + prices->prices.size() * (region.size() + kPunctuation) + kMeta);
    for (const auto& [name, price] : prices->prices) add(price);
  } else {
    auto found = prices->prices.find(canonical_name(market, *query.crop_name));
    if (found == prices->prices.end()) found = prices->prices.find(*query.crop_name);
    if (found != prices->prices.end()) add(found->second);
  }
  body.append(R"(],"meta":)");
  JsonWriter::write(RegionalPricesMeta{country, prices->currency,
                                       static_cast<std::int64_t>(kMinSampleSize), count},
                    body);
  return body.append(1, '}');
}

}  // namespace tilth
