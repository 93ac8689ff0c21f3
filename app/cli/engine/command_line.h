// Parses a command line by the descriptions of the commands, and runs the command.

#pragma once

#include <vector>

#include "app/cli/engine/command.h"

namespace tilth::cli {

// The exit code: 0, 1 (failure) or 2 (wrong usage), with one sentence on stderr unless 0.
int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv);

}  // namespace tilth::cli
