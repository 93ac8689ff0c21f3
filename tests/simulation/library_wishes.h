// What is asked about the library: by growers, who keep a shortlist, and by operators, who write
// what all owners read.

#pragma once

#include "tests/simulation/chooser.h"

namespace tilth::testing {

// An entry that is new, or again, or removed. The library must know a crop.
Wish about_a_shortlist(const Chooser&);

// Crops with their varieties, exchange rates, and global templates.
Wish about_the_reference_data(const Chooser&);

}  // namespace tilth::testing
