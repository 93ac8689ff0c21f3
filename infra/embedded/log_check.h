// Reads a whole event log back, to find what the disk has damaged.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "events/values/result.h"

namespace tilth {

// Called from time to time with the records checked so far and their number; false ends the check.
using LogCheckGoesOn = std::function<bool(std::int64_t checked, std::int64_t total)>;

// Compares every record of the log in `directory` and every stream's version with its checksum, as
// the disk has them now, and returns the number of records. Changes nothing; nothing else may use
// the directory meanwhile, so check a copy of a log that is in use: RecordStore::copy_to() links
// the files where it can. Threads: any.
//
//   kDamaged      something is missing or unreadable; the message names the first such record.
//   kUnavailable  the log cannot be opened, or `goes_on` ended the check.
Result<std::int64_t> check_log(const std::filesystem::path& directory,
                               const LogCheckGoesOn& goes_on);

// Whether the log in `directory`, which nothing else uses, is sealed (record_seal.h). Errors: as
// above.
Result<bool> is_log_sealed(const std::filesystem::path& directory);

}  // namespace tilth
