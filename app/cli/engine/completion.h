// What makes a shell complete the commands of tilth, generated from their description.

#pragma once

#include <string>
#include <vector>

#include "app/cli/engine/command.h"

namespace tilth::cli {

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

}  // namespace tilth::cli
