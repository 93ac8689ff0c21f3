// Records what others pay for a crop: an entry in its farm's currency, unless another is given.

#pragma once

#include "command/record.h"
#include "projections/market/price_report.h"

namespace tilth {

// The farm is in the body.
struct CreatePriceReport {
  WholeStream at;
  FarmId farm_id;
  PriceReportDetails details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.required = true}));
    details.serialize(ar);
  }
  // Prices of tomorrow cannot have been observed.
  void check(Issues& issues, Timestamp now) const;
};

// PriceReported. kNotFound: no such farm. kInvalid: the price is per bushel, and the library does
// not know the weight of a bushel of this crop.
Decision decide(const Rows&, const CreatePriceReport&, const Context&);

}  // namespace tilth
