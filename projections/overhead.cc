#include "projections/overhead.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Overhead>;

void evolve(MutableRows& rows, const OverheadRecorded& e) { rows.put(Overhead{entry_of(e)}); }

void evolve(MutableRows& rows, const OverheadRemoved& e) { erase(rows, e); }

}  // namespace tilth
