#include "projections/finance/sale.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Sale>;

void evolve(MutableRows& rows, const SaleRecorded& e) {
  rows.put(Sale{entry_of(e), e.total_amount});
}

ResourceRows sale_rows() {
  return {.rows = {row_type<Sale>()}, .handlers = evolving<SaleRecorded, SaleRemoved>()};
}

}  // namespace tilth
