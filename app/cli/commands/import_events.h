// tilth events import.

#pragma once

#include "app/cli/engine/command.h"

namespace tilth::cli {

// Sends a file as it is read, so that it may be larger than memory.
ExitStatus import_events(const Arguments& arguments);

}  // namespace tilth::cli
