#include "projections/land/block.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Block>;

void evolve(MutableRows& rows, const BlockRegistered& e) {
  rows.put(Block{e.id, e.where.farm_id, e.where.field_id, e.details, e.recorded_at, e.recorded_at});
}

ResourceRows block_rows() {
  return {.rows = {row_type<Block>()},
          .handlers = evolving<BlockRegistered, BlockAmended, BlockRemoved>()};
}

}  // namespace tilth
