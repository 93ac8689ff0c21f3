// To write down what others pay for a crop: an entry whose currency is that of its farm, unless
// said.

#pragma once

#include "command/record.h"
#include "projections/market/price_report.h"

namespace tilth {

// The farm stands in the body.
struct ReportPrice {
  WholeStream at;
  FarmId farm_id;
  PriceReportDetails details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.required = true}));
    details.serialize(ar);
  }
  // No one has seen the prices of tomorrow.
  void check(Issues& issues, Timestamp now) const;
};

// PriceReported. kNotFound: no such farm. kInvalid: the price is of a bushel, and the library does
// not know what one of this crop weighs.
Decision decide(const Rows&, const ReportPrice&, const Context&);

}  // namespace tilth
