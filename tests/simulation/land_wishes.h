// What farmers ask about their land: farms, fields, crops, blocks and plants, and what is done and
// measured on them. What a request needs to be known is said with each; it names wrong records
// else.

#pragma once

#include "tests/simulation/chooser.h"

namespace tilth::testing {

Wish a_new_farm(const Chooser&);
Wish a_new_field(const Chooser&);  // a farm
Wish a_new_crop(const Chooser&);   // a field
Wish a_new_block(const Chooser&);  // a crop
Wish a_new_plant(const Chooser&);  // a block

// Work or a sample on a field or a block. A field.
Wish a_new_operation(const Chooser&);
Wish a_new_sample(const Chooser&);  // of soil

Wish a_changed_farm(const Chooser&);
Wish a_farm_in_another_zone(const Chooser&);
Wish a_changed_crop(const Chooser&);
// One that was sampled, if one is known.
Wish a_field_with_another_ph(const Chooser&);
// Of any kind but a farm.
Wish changed_land(const Chooser&);
// A crop, a block or a plant. A block.
Wish changed_growth(const Chooser&);

Wish a_removed_farm(const Chooser&);
Wish a_removed_field(const Chooser&);
// Of what lies on a field. A crop.
Wish removed_land(const Chooser&);
Wish a_removed_sample(const Chooser&);  // of soil: one
// A new one if none of some kind is known. A field.
Wish a_removed_operation(const Chooser&);

}  // namespace tilth::testing
