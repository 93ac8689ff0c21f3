// Records a sale: an entry in the currency of its crop's farm, unless another is given.

#pragma once

#include "command/record.h"
#include "projections/finance/sale.h"

namespace tilth {

// SaleRecorded with its total. kNotFound: no such crop.
Decision decide(const Rows&, const Create<Sale>&, const Context&);

}  // namespace tilth
