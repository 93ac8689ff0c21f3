#include "query/market/regional_prices.h"

#include <utility>

#include "events/json/json_writer.h"
#include "events/values/text.h"
#include "projections/library/admin_crop.h"
#include "projections/market/country_prices.h"

namespace tilth {
namespace {

RegionalPriceFigures figures_of(const CropPrices& crop, const Integer& average,
                                const Currency& currency, int digits) {
  const auto price = [&](const Integer& units) { return Computed{scaled_text(units, digits)}; };
  const auto& sums = crop.sums;
  return {.avg_price = price(average),
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

RegionalPrices::Kept RegionalPrices::kept_of(const std::string& country, std::size_t cells) {
  const std::lock_guard lock(mutex_);
  auto kept = kept_[country];
  if (kept.parts.size() != cells) kept = {Parts(cells), nullptr};
  return kept;
}

void RegionalPrices::keep(const std::string& country, Parts parts,
                          std::shared_ptr<const Joined> joined) {
  const std::lock_guard lock(mutex_);
  kept_[country] = {std::move(parts), std::move(joined)};
}

// What a single cell may not show is not shown.
std::string RegionalPricesQuestion::ask(std::size_t cell, std::size_t cells) {
  const auto& country = query_.country->country.name;
  if (cell == 0) known_ = prices_->kept_of(country, cells);
  const auto& known = known_.parts[cell];
  return written(CountryAsk{.country = country,
                            .mark = known ? known->mark : "",
                            .all_crops = cells > 1,
                            .exactly = {exactly_.begin(), exactly_.end()}});
}

Result<std::string> RegionalPricesQuestion::part(const Rows& market, std::string_view ask) {
  const auto read = read_country_ask(ask);
  if (!read) return Error{ErrorCode::kInvalid, "This node does not understand the question."};
  return written(country_part(market, *read));
}

Result<std::optional<std::string>> RegionalPricesQuestion::join(
    const std::vector<std::string>& answers, const Rows& market) {
  const auto parts = read(answers);
  if (!parts) return parts.error();
  const auto prices = joined(*parts);
  if (!prices) return std::optional<std::string>();
  if (prices != known_.joined) {
    prices_->keep(query_.country->country.name, *parts, prices);
  }
  return std::optional(render(*prices, market));
}

Result<RegionalPricesQuestion::Parts> RegionalPricesQuestion::read(
    const std::vector<std::string>& answers) const {
  Parts parts;
  for (std::size_t cell = 0; cell < answers.size(); ++cell) {
    auto part = read_country_part(answers[cell]);
    const auto& known = known_.parts[cell];
    if (!part || (part->same && (!known || known->mark != part->mark))) {
      return Error{.code = ErrorCode::kUnavailable,
                   .message = "Nodes of different releases do not understand one another here.",
                   .retry_after_seconds = 1};
    }
    if (part->same && part->cut.empty()) {
      parts.push_back(known);
      continue;
    }
    if (part->same) part->crops = known->crops;
    part->same = false;
    parts.push_back(std::make_shared<const CountryPart>(std::move(*part)));
  }
  return parts;
}

// Null: something has to be known more exactly.
std::shared_ptr<const RegionalPrices::Joined> RegionalPricesQuestion::joined(const Parts& parts) {
  auto prices = std::make_shared<Joined>();
  for (const auto& part : parts) prices->marks.push_back(part->mark);
  if (known_.joined && known_.joined->marks == prices->marks) return known_.joined;

  std::map<std::string, CropPrices> crops;
  for (const auto& part : parts) {
    for (const auto& crop : part->crops) {
      const auto [at, is_new] = crops.try_emplace(crop.crop_name, crop);
      if (!is_new) at->second += crop;
    }
  }
  prices->currency = Currency{query_.country->country.currency()};
  const auto digits = prices->currency.minor_digits();
  bool is_exact = true;
  for (const auto& [name, crop] : crops) {
    if (crop.sums.farms < kMinSampleSize || crop.sums.owners < prices_->min_owners_) continue;
    const auto average = average_of(crop, parts, digits);
    is_exact = is_exact && average;
    if (!is_exact) continue;
    RegionalPrices::Price price{
        JsonWriter::members(PricedCrop{name}),
        JsonWriter::members(figures_of(crop, *average, prices->currency, digits))};
    prices->bytes += price.crop.size() + price.figures.size();
    prices->prices[name] = std::move(price);
  }
  return is_exact ? prices : nullptr;
}

// Null: the cells are asked for all that was cut from it.
std::optional<Integer> RegionalPricesQuestion::average_of(const CropPrices& crop,
                                                          const Parts& parts, int digits) {
  if (const auto average = crop.sums.average(digits)) return average;
  Fraction cut;
  for (const auto& part : parts) {
    const auto its = part->cut.find(crop.crop_name);
    if (its == part->cut.end()) return exactly_.insert(crop.crop_name), std::nullopt;
    cut += its->second;
  }
  return crop.sums.average(digits, cut);
}

std::string RegionalPricesQuestion::render(const Joined& prices, const Rows& market) const {
  const auto& [country, spelled] = *query_.country;
  const auto region = JsonWriter::members(PricedRegion{spelled});
  std::string body = R"({"data":[)";
  std::int64_t count = 0;
  const auto add = [&](const RegionalPrices::Price& price) {
    if (count++ > 0) body.push_back(',');
    body.append(1, '{').append(price.crop).append(1, ',').append(region);
    body.append(1, ',').append(price.figures).append(1, '}');
  };
  if (!query_.crop_name) {
    constexpr std::size_t kMeta = 256, kPunctuation = 5;
    body.reserve(prices.bytes + prices.prices.size() * (region.size() + kPunctuation) + kMeta);
    for (const auto& [name, price] : prices.prices) add(price);
  } else {
    auto found = prices.prices.find(*query_.crop_name);
    if (found == prices.prices.end()) {
      found = prices.prices.find(canonical_name(market, *query_.crop_name));
    }
    if (found != prices.prices.end()) add(found->second);
  }
  body.append(R"(],"meta":)");
  JsonWriter::write(RegionalPricesMeta{country, prices.currency,
                                       static_cast<std::int64_t>(kMinSampleSize), count},
                    body);
  body.append(1, '}');
  return body;
}

}  // namespace tilth
