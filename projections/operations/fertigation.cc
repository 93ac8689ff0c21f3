#include "projections/operations/fertigation.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Fertigation>;

ResourceRows fertigation_rows() {
  return {.rows = {row_type<Fertigation>()},
          .handlers = evolving<FertigationRecorded, FertigationRemoved>()};
}

}  // namespace tilth
