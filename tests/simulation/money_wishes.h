// What farmers ask about money: costs, sales and prices. What a request needs to be known is said
// with each; it names wrong records else.

#pragma once

#include "tests/simulation/chooser.h"

namespace tilth::testing {

Wish a_new_cost(const Chooser&);          // a field
Wish a_new_sale(const Chooser&);          // a crop
Wish a_new_price_report(const Chooser&);  // a farm

// Of a cost, a sale or a price report; a new one if none is known. A crop.
Wish removed_money(const Chooser&);

}  // namespace tilth::testing
