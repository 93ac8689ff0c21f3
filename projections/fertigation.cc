#include "projections/fertigation.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Fertigation>;

void evolve(MutableRows& rows, const FertigationRecorded& e) { rows.put(Fertigation{entry_of(e)}); }

void evolve(MutableRows& rows, const FertigationRemoved& e) { erase(rows, e); }

}  // namespace tilth
