// What a directory holds, file by file, to tell later whether it is still what was written.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

// A line for each file below `directory`, sorted: the XXH3 of what it holds, and its name. It finds
// damage, not deceit.
//
//   kUnavailable  a file cannot be read; the message names it.
Result<std::string> contents_of(const std::filesystem::path& directory);

// The name of a file that is in but one of them, or not the same in both.
std::optional<std::string> difference_of(std::string_view contents, std::string_view others);

}  // namespace tilth
