// Crop prices in a country: only prices that at least kMinSampleSize farms contribute to.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/computed.h"
#include "events/values/places.h"
#include "projections/market/market.h"
#include "query/listing.h"
#include "query/market/country_part.h"

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

// The prices of each country, as the cells of the market said last. So a cell is asked only for
// what has changed, and a query costs one look-up in each. Threads: any.
class RegionalPrices {
 public:
  // A price is shown once at least `min_owners` contribute to it, in addition to the contract's
  // farms.
  explicit RegionalPrices(std::uint64_t min_owners) : min_owners_(min_owners) {}

 private:
  friend class RegionalPricesQuestion;

  // The members of a price as JSON, without its region, which differs between queries.
  struct Price {
    std::string crop, figures;
  };
  using Parts = std::vector<std::shared_ptr<const CountryPart>>;  // by cell; null: not asked yet
  // What follows from them.
  struct Joined {
    std::vector<std::string> marks;  // of the parts
    Currency currency;
    std::map<std::string, Price> prices;  // by canonical name
    std::size_t bytes = 0;                // of all prices
  };
  struct Kept {
    Parts parts;
    std::shared_ptr<const Joined> joined;  // null: not yet
  };

  Kept kept_of(const std::string& country, std::size_t cells);
  void keep(const std::string& country, Parts parts, std::shared_ptr<const Joined> joined);

  const std::uint64_t min_owners_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;  // by country
};

// One query: ask() each cell, have part() answer there, and join() the answers. Threads: one at a
// time; part() from any.
class RegionalPricesQuestion {
 public:
  RegionalPricesQuestion(std::shared_ptr<RegionalPrices> prices, AskRegionalPrices query)
      : prices_(std::move(prices)), query_(std::move(query)) {}

  // What is asked of a cell, one of so many.
  std::string ask(std::size_t cell, std::size_t cells);

  // What it answers. kInvalid: this release does not understand the question.
  static Result<std::string> part(const Rows& market, std::string_view ask);

  // {"data": [...], "meta": {...}} from the answers of all cells, in their order; `market` are the
  // rows of any. Null: the cells have to be asked once more, since what they have told does not
  // decide how an average is rounded. kUnavailable: this release does not understand an answer.
  Result<std::optional<std::string>> join(const std::vector<std::string>& answers,
                                          const Rows& market);

 private:
  using Parts = RegionalPrices::Parts;
  using Joined = RegionalPrices::Joined;

  Result<Parts> read(const std::vector<std::string>& answers) const;
  std::shared_ptr<const Joined> joined(const Parts& parts);
  std::optional<Integer> average_of(const CropPrices& crop, const Parts& parts, int digits);
  std::string render(const Joined& prices, const Rows& market) const;

  const std::shared_ptr<RegionalPrices> prices_;
  const AskRegionalPrices query_;
  RegionalPrices::Kept known_;
  std::set<std::string> exactly_;  // the crops of which all that was cut is wanted
};

}  // namespace tilth
