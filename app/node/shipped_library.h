// Data built into Tilth: the crop library for an empty log at its first start, library/crops.json,
// and task templates, library/templates.json.

#pragma once

#include <filesystem>
#include <string_view>

#include "command/library/library_import.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// A library document; its notes on sources are for readers.
std::string_view shipped_library();

// A document of task templates, which the demo imports.
std::string_view shipped_templates();

// Imports it into an empty log. Crash: `mark` exists during the import, and the next start
// completes it; nothing else changes the library before the service is ready.
//
//   kUnavailable  the log or the file cannot be written; the message says so.
Status give_shipped_library(const LibraryImport& import, bool log_is_empty,
                            const std::filesystem::path& mark, LogLines& log);

}  // namespace tilth
