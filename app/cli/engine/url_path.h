// Paths of the operator API with what people name in them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/engine/command.h"

namespace tilth::cli {

// A name or value, percent-encoded for a URL.
std::string url_escaped(std::string_view text);

// The path with one more parameter in its query.
std::string with_parameter(std::string path, std::string_view name, std::string_view value);

// The path with a parameter for each of these flags that was given, of the same name.
std::string with_flags(std::string path, const Arguments& arguments,
                       const std::vector<std::string>& flags);

}  // namespace tilth::cli
