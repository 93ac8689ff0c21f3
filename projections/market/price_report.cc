#include "projections/market/price_report.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<PriceReport>;

ResourceRows price_report_rows() {
  return {.rows = {row_type<PriceReport>()},
          .handlers = evolving<PriceReported, PriceReportRemoved>()};
}

}  // namespace tilth
