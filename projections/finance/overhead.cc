#include "projections/finance/overhead.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Overhead>;

ResourceRows overhead_rows() {
  return {.rows = {row_type<Overhead>()},
          .handlers = evolving<OverheadRecorded, OverheadRemoved>()};
}

}  // namespace tilth
