#include "projections/price_report.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<PriceReport>;

void evolve(MutableRows& rows, const PriceReported& e) { rows.put(PriceReport{entry_of(e)}); }

void evolve(MutableRows& rows, const PriceReportRemoved& e) { erase(rows, e); }

}  // namespace tilth
