// Further rules for a block.

#pragma once

#include "command/record.h"
#include "projections/land/block.h"

namespace tilth {

template <>
struct RecordRules<Block> {
  // Takes the spacings and the density from the library if the request has none. kNotFound: no such
  // crop on that field, or no such variety.
  static Status complete(const Rows&, const FieldPath&, BlockDetails<Own>&, const BlockId&,
                         const Context&);
  // kNotFound: as above.
  static Status references(const Rows&, const Block& before, const BlockDetails<Patch>&);
};

}  // namespace tilth
