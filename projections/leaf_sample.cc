#include "projections/leaf_sample.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<LeafSample>;

void evolve(MutableRows& rows, const LeafSampleRecorded& e) { rows.put(LeafSample{entry_of(e)}); }

void evolve(MutableRows& rows, const LeafSampleRemoved& e) { erase(rows, e); }

}  // namespace tilth
