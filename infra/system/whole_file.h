// Small files that exist completely or not at all: tokens, the test clock's time, the ready file.
// And names and contents that outlast a loss of power.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "events/values/result.h"

namespace tilth {

// Replaces the content at `path` with `content`. Durable when it returns. Crash: the file has the
// previous content or the new one, never a part.
//
//   kUnavailable  it was not written; the message is a sentence that names the file and says why.
Status write_whole_file(const std::filesystem::path& path, std::string_view content, mode_t mode);

// Behind the name of a file that write_whole_file() is writing, or that a crash has left
// unfinished.
inline constexpr std::string_view kUnfinishedEnding = ".new";

// Makes the names in a directory as durable as the files behind them.
//
//   kUnavailable  that failed; the message names the directory.
Status sync_directory(const std::filesystem::path& directory);

// Makes the name of a directory durable, as sync_directory() of the one above it.
Status sync_name_of(const std::filesystem::path& directory);

// Makes a directory, and those above it that are missing, with durable names. Returns those that it
// made, the lowest first. Crash: some of them are there.
//
//   kUnavailable  that failed, and none is left; the message names one.
Result<std::vector<std::filesystem::path>> make_directories(const std::filesystem::path& directory);

// Makes the content of a file durable.
//
//   kUnavailable  that failed; the message names the file.
Status sync_file(const std::filesystem::path& path);

// The next reader of the file, which is durable, gets what the disk has, and not what the kernel
// remembers.
void drop_cached_pages(const std::filesystem::path& path);

// The content of a file; nullopt if there is no file.
//
//   kUnavailable  it cannot be read; the message names it and says why.
Result<std::optional<std::string>> read_whole_file(const std::filesystem::path& path);

}  // namespace tilth
