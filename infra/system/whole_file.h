// Small files that are there whole or not at all: tokens, the clock's stand, the ready file.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "events/values/result.h"

namespace tilth {

// Puts `content` at `path`, in place of what is there. Durable when it returns. Crash: the former
// content or the new one is there, never a part.
//
//   kUnavailable  it is not there; the message is a sentence that names the file and says why.
Status write_whole_file(const std::filesystem::path& path, std::string_view content, mode_t mode);

// Makes the names in a directory as durable as the files behind them.
//
//   kUnavailable  that failed; the message names the directory.
Status sync_directory(const std::filesystem::path& directory);

// All that a file holds; nothing if there is none.
//
//   kUnavailable  it cannot be read; the message names it and says why.
Result<std::optional<std::string>> read_whole_file(const std::filesystem::path& path);

}  // namespace tilth
