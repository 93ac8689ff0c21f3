#include "projections/operations/irrigation.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Irrigation>;

ResourceRows irrigation_rows() {
  return {.rows = {row_type<Irrigation>()},
          .handlers = evolving<IrrigationRecorded, IrrigationRemoved>()};
}

}  // namespace tilth
