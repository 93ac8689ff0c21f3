// To write down a sale: an entry whose currency is that of its crop's farm, unless said.

#pragma once

#include "command/entry.h"
#include "projections/sale.h"

namespace tilth {

// SaleRecorded with its total. kNotFound: no such crop.
Decision decide(const Rows&, const RecordEntry<Sale>&, const Context&);

}  // namespace tilth
