// Crop prices in a country: only prices that at least kMinSampleSize farms contribute to.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/values/computed.h"
#include "events/values/places.h"
#include "projections/market/market.h"
#include "query/listing.h"

namespace tilth {

enum class RegionalPriceUnit : std::uint8_t { kPerTon };

constexpr auto labels(RegionalPriceUnit) { return named<RegionalPriceUnit>("per_ton"); }

// Numbers of distinct farms.
struct RegionalPriceSources {
  std::int64_t user_reported = 0, sales = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userReported", user_reported), member("sales", sales));
  }
};

// All of a price except its names.
struct RegionalPriceFigures {
  Computed avg_price = {}, min_price = {}, max_price = {};
  Currency currency = {};
  RegionalPriceUnit unit = {};
  std::int64_t sample_size = 0;
  RegionalPriceSources sources = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("avgPrice", avg_price), member("minPrice", min_price), member("maxPrice", max_price),
       member("currency", currency), member("unit", unit), member("sampleSize", sample_size),
       member("sources", sources));
  }
};

struct PricedCrop {
  std::string crop_name;  // canonical

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropName", crop_name));
  }
};

struct PricedRegion {
  std::string region;  // the country as spelled in the query

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("region", region));
  }
};

struct RegionalPrice {
  PricedCrop crop;
  PricedRegion region;
  RegionalPriceFigures figures;

  template <class Archive>
  void serialize(Archive& ar) {
    crop.serialize(ar);
    region.serialize(ar);
    figures.serialize(ar);
  }
};

struct RegionalPricesMeta {
  Country country;
  Currency currency;
  std::int64_t min_sample_size = 0, count = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("country", country), member("currency", currency),
       member("minSampleSize", min_sample_size), member("count", count));
  }
};

// A country, and its spelling in the query.
struct SpelledCountry {
  static constexpr auto kExpected = Country::kExpected;
  Country country;
  std::string spelled;

  static std::optional<SpelledCountry> parse(std::string_view text) {
    auto country = Country::parse(text);
    if (!country) return std::nullopt;
    return SpelledCountry{std::move(*country), std::string(text)};
  }
  std::string text() const { return spelled; }
};

struct AskRegionalPrices {
  std::optional<SpelledCountry> country;
  std::optional<std::string> crop_name;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("country", country, {.required = true, .doc = "A name or an ISO 3166-1 code."}),
       member("cropName", crop_name, {.doc = "Without case; as it is canonical."}));
  }
};

// Responds in JSON. What follows from the prices of a country is cached until these change, so that
// a query costs one look-up. Threads: any.
class RegionalPrices {
 public:
  // A price is shown once at least `min_owners` contribute to it, in addition to the contract's
  // farms.
  explicit RegionalPrices(std::uint64_t min_owners) : min_owners_(min_owners) {}

  // {"data": […], "meta": {…}}, with the current prices.
  std::string render(const Rows& market, const AskRegionalPrices& query);

 private:
  // The members of a price as JSON, without its region, which differs between queries.
  struct Price {
    std::string crop, figures;
  };
  // The cached prices of a country.
  struct Kept {
    std::string mark;
    Currency currency;
    std::map<std::string, Price> prices;  // by canonical name
    std::size_t bytes = 0;                // of all prices
  };

  std::shared_ptr<const Kept> prices_of(const Rows& market, const Country& country);

  const std::uint64_t min_owners_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Kept>> kept_;  // by country
};

}  // namespace tilth
