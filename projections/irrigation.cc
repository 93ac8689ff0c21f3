#include "projections/irrigation.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Irrigation>;

void evolve(MutableRows& rows, const IrrigationRecorded& e) { rows.put(Irrigation{entry_of(e)}); }

void evolve(MutableRows& rows, const IrrigationRemoved& e) { erase(rows, e); }

}  // namespace tilth
