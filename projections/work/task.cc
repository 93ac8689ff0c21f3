#include "projections/work/task.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Task>;

}  // namespace tilth
