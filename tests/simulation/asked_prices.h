// Regional prices, asked as a service does.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projections/rows/row_store.h"
#include "query/market/regional_prices.h"

namespace tilth::testing {

// With what a node knows of them from one query to the next.
class AskedPrices {
 public:
  // See RegionalPrices.
  explicit AskedPrices(std::uint64_t min_owners)
      : min_owners_(min_owners), prices_(std::make_shared<RegionalPrices>(min_owners)) {}

  std::uint64_t min_owners() const { return min_owners_; }

  // The response, from the rows of all cells of the market; or what went wrong.
  std::string ask(const AskRegionalPrices& query, const std::vector<const RowReader*>& cells) const;

 private:
  const std::uint64_t min_owners_;
  const std::shared_ptr<RegionalPrices> prices_;
};

}  // namespace tilth::testing
