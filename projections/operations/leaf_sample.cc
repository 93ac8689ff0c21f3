#include "projections/operations/leaf_sample.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<LeafSample>;

ResourceRows leaf_sample_rows() {
  return {.rows = {row_type<LeafSample>()},
          .handlers = evolving<LeafSampleRecorded, LeafSampleRemoved>()};
}

}  // namespace tilth
