// Runs the service until it is told to stop.

#pragma once

#include "infra/config/config.h"

namespace tilth {

// Returns the exit code of the process. A start that fails says why on stderr, in one sentence that
// is its last line, and leaves nothing half-made.
int serve(const Config& config);

}  // namespace tilth
