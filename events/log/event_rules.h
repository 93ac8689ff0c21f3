// What the values of an event that comes from elsewhere must be.

#pragma once

#include "events/log/catalogue.h"

namespace tilth {

// What in an event breaks a rule that requests are checked against, so that no service has decided
// it (rule_check.h).
Issues broken_rules(const EncodedEvent& event);

}  // namespace tilth
