// What farmers ask about webhooks, besides what is sent to them.

#pragma once

#include "tests/simulation/chooser.h"

namespace tilth::testing {

// One that is new, or else changed or removed.
Wish about_a_webhook(const Chooser&);

}  // namespace tilth::testing
