// What ships with Tilth, as it was built in: the crop library that an empty log is given at first
// start, library/crops.json, and task templates, library/templates.json.

#pragma once

#include <filesystem>
#include <string_view>

#include "command/library/library_import.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// A library document; what is said there of sources is for readers.
std::string_view shipped_library();

// A document of task templates, which the demo brings in.
std::string_view shipped_templates();

// Gives it to an empty log. Crash: `mark` is there meanwhile, and the next start completes what was
// begun; no one else changes the library before the service is ready.
//
//   kUnavailable  the log or the file cannot be written; the message says so.
Status give_shipped_library(const LibraryImport& import, bool log_is_empty,
                            const std::filesystem::path& mark, LogLines& log);

}  // namespace tilth
