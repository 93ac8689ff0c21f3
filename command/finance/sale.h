// To write down a sale: an entry whose currency is that of its crop's farm, unless said.

#pragma once

#include "command/record.h"
#include "projections/finance/sale.h"

namespace tilth {

// SaleRecorded with its total. kNotFound: no such crop.
Decision decide(const Rows&, const Create<Sale>&, const Context&);

}  // namespace tilth
