#include "tests/simulation/plain_market.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "events/log/streams.h"
#include "events/values/places.h"
#include "projections/market/country_prices.h"
#include "projections/market/market.h"
#include "projections/rows/rows.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The name of a library crop that is called so, ignoring case, or the text itself in one spelling.
// The simulation's names have single spaces and no accents.
std::string canonical(const std::string& name, const PlainRecords* library) {
  if (library != nullptr) {
    for (const auto& [id, crop] : library->all("admin_crop")) {
      if (is_listed(crop) && lower_case(text_in(crop, "name")) == lower_case(name)) {
        return text_in(crop, "name");
      }
    }
  }
  auto tidy = lower_case(name);
  if (!tidy.empty()) tidy.front() = static_cast<char>(std::toupper(tidy.front()));
  return tidy;
}

// Of the unit that it is priced in.
Fraction kilograms_of(const Members& offer) {
  const auto unit = text_in(offer, "unit");
  if (unit.ends_with("bushel")) return number_in(offer, "bushelWeightKg");
  if (unit.ends_with("lb")) return exact("0.45359237");
  return unit.ends_with("ton") ? 1'000 : 1;
}

// The average is not known where what was cut off may change it.
bool has_prices(const CropPrices& shown, const PlainMarket::Offers& offered,
                const std::string& country) {
  const int digits = Currency::stored(Country::stored(country).currency()).minor_digits();
  const auto minor = [&](const Fraction& price) {
    return half_even(price * Fraction(power_of_ten(digits)));
  };
  const auto average = shown.sums.average(digits);
  return (!average || *average == minor(offered.money / offered.tons)) &&
         shown.lowest == minor(*offered.lowest) && shown.highest == minor(*offered.highest);
}

// docs/domain.md: so many farms have to contribute to a price.
constexpr std::size_t kLeastFarms = 5;

// A price as a response shows it.
std::string wrong_in_price(const Json& shown, const PlainMarket::Offers& offered,
                           const Currency& currency) {
  const auto text = [&](std::string_view name) { return shown.find(name)->text; };
  const auto is = [&](std::string_view name, const Fraction& price) {
    return text(name) == rounded(price, currency.minor_digits());
  };
  const auto counts = [](const Json& in, std::string_view name, std::size_t count) {
    return in.find(name)->text == std::to_string(count);
  };
  if (!is("avgPrice", offered.money / offered.tons)) return "has another average";
  if (!is("minPrice", *offered.lowest)) return "has another lowest price";
  if (!is("maxPrice", *offered.highest)) return "has another highest price";
  if (text("currency") != currency.code || text("unit") != "per_ton") return "has another unit";
  const auto& sources = *shown.find("sources");
  const bool counted = counts(shown, "sampleSize", offered.farms.size()) &&
                       counts(sources, "userReported", offered.reporting.size()) &&
                       counts(sources, "sales", offered.selling.size());
  return counted ? "" : "is of other farms";
}

// The ids of the offers that the market has.
std::set<std::string> offers_in(const Rows& market) {
  constexpr char kOffer = 'o';
  constexpr std::size_t kIdBytes = 16;
  std::set<std::string> ids;
  const auto begin = market.own_key(kOffer);
  const auto cursor = market.cursor();
  for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
    ids.insert(Uuid::from_key(cursor->key().substr(begin.size(), kIdBytes)).text());
  }
  return ids;
}

}  // namespace

PlainMarket::PlainMarket(const std::multimap<std::string, const PlainRecords*>& owners,
                         Timestamp now, const PlainRates& rates)
    : today_{std::chrono::floor<std::chrono::days>(now.at)}, rates_(rates) {
  const auto reference = owners.find(std::string(kReferenceStream));
  if (reference != owners.end()) library_ = reference->second;
  for (const auto& [owner, records] : owners) {
    for (const auto& [id, sale] : records->all("sale")) add_sale(owner, *records, id, sale);
    for (const auto& [id, report] : records->all("price_report")) {
      add(owner, *records, id, report, canonical(text_in(report, "cropName"), library_),
          "observedOn", &Offers::reporting);
    }
  }
}

void PlainMarket::add_sale(const std::string& owner, const PlainRecords& records,
                           const std::string& id, const Members& sale) {
  const auto& crop = *records.find({"crop", text_in(sale, "cropId")});
  const auto* known = library_ == nullptr || is_null(crop, "adminCropId")
                          ? nullptr
                          : library_->find({"admin_crop", text_in(crop, "adminCropId")});
  add(owner, records, id, sale,
      known != nullptr ? text_in(*known, "name") : canonical(text_in(crop, "cropType"), library_),
      "saleDate", &Offers::selling);
}

void PlainMarket::add(const std::string& owner, const PlainRecords& records, const std::string& id,
                      const Members& offer, const std::string& name, std::string_view date_name,
                      std::set<std::string> Offers::*source) {
  const auto date = *Date::parse(text_in(offer, date_name));
  if (date.day + kOfferCounts <= today_.day) return;
  ids_.insert(id);
  const auto farm_id = text_in(offer, "farmId");
  const auto& farm = *records.find({"farm", farm_id});
  if (date > today_ || is_null(farm, "country")) return;
  const auto country = text_in(farm, "country");
  const auto rate =
      rates_.on(text_in(offer, "currency"), Country::stored(country).currency(), date);
  if (!rate) return;
  auto& its = offers_[country][name];
  its.farms.insert(farm_id);
  (its.*source).insert(farm_id);
  its.owners.insert(owner);
  const auto kilograms = kilograms_of(offer);
  const bool is_sale = source == &Offers::selling;
  const Fraction per_ton =
      number_in(offer, is_sale ? "pricePerUnit" : "price") * *rate * 1'000 / kilograms;
  const bool has_quantity = !is_null(offer, "quantity");
  const Fraction tons =
      has_quantity ? number_in(offer, "quantity") * kilograms / 1'000 : Fraction(1);
  its.tons += tons;
  its.money += per_ton * tons;
  its.lowest = std::min(its.lowest.value_or(per_ton), per_ton);
  its.highest = std::max(its.highest.value_or(per_ton), per_ton);
}

std::string PlainMarket::wrong_in_rows(const RowReader& rows) const {
  const Rows market(rows, kMarketStream, 0);
  if (offers_in(market) != ids_) return "other offers are on the market than there are";
  for (const auto& [country, crops] : offers_) {
    std::map<std::string, CropPrices> shown;
    for_each_crop(market, country, Crops::kAll,
                  [&](const CropPrices& crop) { shown[crop.crop_name] = crop; });
    if (shown.size() != crops.size()) return "other crops are offered in " + country;
    for (const auto& [name, offered] : crops) {
      const auto found = shown.find(name);
      if (found == shown.end()) return "no " + name + " is offered in " + country;
      const auto& sums = found->second.sums;
      if (sums.farms != offered.farms.size() || sums.reporting != offered.reporting.size() ||
          sums.selling != offered.selling.size() || sums.owners != offered.owners.size()) {
        return "other farms offer " + name + " in " + country;
      }
      if (!has_prices(found->second, offered, country)) {
        return name + " has other prices in " + country;
      }
    }
  }
  return {};
}

std::string PlainMarket::wrong_in_prices(const Ask& ask, std::uint64_t min_owners) const {
  for (const auto& [country, crops] : offers_) {
    const Currency currency{Country::stored(country).currency()};
    const auto spelled = lower_case(country);
    std::map<std::string, const Offers*> expected;
    for (const auto& [name, offered] : crops) {
      const bool is_shown =
          offered.farms.size() >= kLeastFarms && offered.owners.size() >= min_owners;
      if (is_shown) expected[name] = &offered;
    }
    // In this and the next ones, a crop is asked for by another spelling of its name.
    std::vector<std::optional<std::string>> asked{std::nullopt};
    for (const auto& [name, offered] : crops) asked.push_back(" " + lower_case(name));
    for (const auto& name : asked) {
      const auto response =
          parse_json(ask({.country = SpelledCountry::parse(spelled), .crop_name = name}));
      if (!response) return "regional prices are no JSON";
      auto wanted = expected;
      if (name) {
        std::erase_if(wanted,
                      [&](const auto& each) { return " " + lower_case(each.first) != *name; });
      }
      const auto& meta = *response->find("meta");
      const auto says = [&](std::string_view member, const std::string& text) {
        return meta.find(member)->text == text;
      };
      if (!says("country", country) || !says("currency", currency.code) ||
          !says("minSampleSize", std::to_string(kLeastFarms)) ||
          !says("count", std::to_string(wanted.size()))) {
        return "the regional prices of " + country + " are said to be others";
      }
      auto next = wanted.begin();
      const auto& shown = response->find("data")->children;
      if (shown.size() != wanted.size()) return "other crops are shown for " + country;
      for (const auto& [none, price] : shown) {
        const auto& [crop, offered] = *next++;
        if (price.find("cropName")->text != crop || price.find("region")->text != spelled) {
          return "other crops are shown for " + country;
        }
        const auto wrong = wrong_in_price(price, *offered, currency);
        if (!wrong.empty()) return crop + " in " + country + " " + wrong;
      }
    }
  }
  return {};
}

}  // namespace tilth::testing
