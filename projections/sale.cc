#include "projections/sale.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Sale>;

void evolve(MutableRows& rows, const SaleRecorded& e) {
  rows.put(Sale{entry_of(e), e.total_amount});
}

void evolve(MutableRows& rows, const SaleRemoved& e) { erase(rows, e); }

}  // namespace tilth
