// Lists a directory's files with checksums, to check later that nothing has changed.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

// The XXH3 of a file's content, 128 bits in hexadecimal digits.
//
//   kUnavailable  it cannot be read; the message names it.
Result<std::string> hash_of_file(const std::filesystem::path& path);

// A line for each file below `directory`, sorted: the XXH3 of its content, and its name. Detects
// damage, not tampering. A file that disappears meanwhile is left out if it may: `name` is relative
// to `directory`.
//
//   kUnavailable  a file cannot be read; the message names it.
using MayDisappear = std::function<bool(const std::filesystem::path& name)>;
Result<std::string> contents_of(const std::filesystem::path& directory,
                                const MayDisappear& may_disappear = {});

// The name of a file that is in only one of them, or differs; nullopt if there is none.
std::optional<std::string> difference_of(std::string_view contents, std::string_view others);

}  // namespace tilth
