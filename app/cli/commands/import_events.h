// tilth events import.

#pragma once

#include "app/cli/engine/command.h"

namespace tilth::cli {

// Streams a file, so that it may be larger than memory.
ExitStatus import_events(const Arguments& arguments);

}  // namespace tilth::cli
