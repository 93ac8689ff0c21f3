// What one cell of the market says about a country: a part of regional prices, which are those of
// all cells together. Its JSON passes between nodes, which may be of different releases: members
// may be added, and none may change its meaning.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"
#include "events/values/result.h"
#include "projections/market/country_prices.h"

namespace tilth {

// What a cell is asked.
struct CountryAsk {
  std::string country;                    // its name
  std::string mark = {};                  // of what is known already; empty: nothing is
  bool all_crops = false;                 // else those alone that may be shown
  std::vector<std::string> exactly = {};  // crops of which all that was cut is wanted, too
  std::int64_t format = 1;                // another one is not understood

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("format", format), member("country", country), member("mark", mark),
       member("allCrops", all_crops), member("exactly", exactly));
  }
};

// What it answers.
struct CountryPart {
  std::string mark;                     // prices_mark() of it, in hexadecimal digits
  bool same = false;                    // as what is known: then it has no crops
  std::vector<CropPrices> crops;        // in any order, each once
  std::map<std::string, Fraction> cut;  // by crop, of those of which it was asked
};

std::string written(const CountryAsk& ask);
std::string written(const CountryPart& part);
// Null: this release does not understand it.
std::optional<CountryAsk> read_country_ask(std::string_view json);
std::optional<CountryPart> read_country_part(std::string_view json);

// What these rows answer. Costs one look-up if what is known is the present, else a few for each
// crop.
CountryPart country_part(const Rows& market, const CountryAsk& ask);

}  // namespace tilth
