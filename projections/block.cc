#include "projections/block.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Block>;

void evolve(MutableRows& rows, const BlockRegistered& e) {
  rows.put(Block{e.block_id, e.farm_id, e.field_id, e.details, e.registered_at, e.registered_at});
}

void evolve(MutableRows& rows, const BlockAmended& e) {
  auto block = rows.find(e.block_id);
  if (!block) return;
  apply(e.changes, block->details);
  block->updated_at = e.amended_at;
  rows.put(*block);
}

// Its plants and what was written down of it go with it: that is part of what the one event means.
void evolve(MutableRows& rows, const BlockRemoved& e) {
  const auto block = rows.find(e.block_id);
  if (!block) return;
  rows.erase(*block);
  rows.sweep({SweepStep::What::kPlantsOfBlock, block->id.uuid});
  rows.sweep({SweepStep::What::kFertigationsOfBlock, block->id.uuid});
  rows.sweep({SweepStep::What::kLeafSamplesOfBlock, block->id.uuid});
}

}  // namespace tilth
