// What is offered on the market, and at what prices, computed from the records alone: without the
// rows that are kept of it, and the code that keeps them.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "events/values/exact.h"
#include "events/values/time.h"
#include "projections/rows/row_store.h"
#include "query/market/regional_prices.h"
#include "tests/simulation/plain_rates.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// As of an instant. Functions return what does not hold; empty: nothing.
class PlainMarket {
 public:
  // `owners`: the records of each stream, also those of before an erasure, and the reference
  // data's. `rates` outlives it.
  PlainMarket(const std::multimap<std::string, const PlainRecords*>& owners, Timestamp now,
              const PlainRates& rates);

  // Of the rows of the projection `market`, aged up to then: which offers there are, how many farms
  // offer each crop in each country, and at what prices.
  std::string wrong_in_rows(const RowReader& rows) const;

  // The response to a query of regional prices, as of then, in JSON.
  using Ask = std::function<std::string(const AskRegionalPrices& query)>;

  // Of the responses for all countries with offers, and for each crop there. A price is shown once
  // as many owners contribute to it.
  std::string wrong_in_prices(const Ask& ask, std::uint64_t min_owners) const;

  // Of one crop in one country.
  struct Offers {
    std::set<std::string> farms, reporting, selling, owners;
    Fraction money = 0, tons = 0;                       // in all
    std::optional<Fraction> lowest = {}, highest = {};  // for a ton
  };

 private:
  using Members = PlainRecords::Members;

  void add_sale(const std::string& owner, const PlainRecords& records, const std::string& id,
                const Members& sale);
  void add(const std::string& owner, const PlainRecords& records, const std::string& id,
           const Members& offer, const std::string& name, std::string_view date_name,
           std::set<std::string> Offers::*source);

  const Date today_;
  const PlainRates& rates_;
  const PlainRecords* library_ = nullptr;
  std::set<std::string> ids_;  // of all offers
  // By country and name. Those in a currency that has no rate are not there.
  std::map<std::string, std::map<std::string, Offers>> offers_;
};

}  // namespace tilth::testing
