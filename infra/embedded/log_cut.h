// Takes an event log back to an earlier moment, for a restore.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "events/values/result.h"
#include "events/values/time.h"
#include "infra/embedded/archived_files.h"

namespace tilth {

// The last record that stays: at this offset, or before the first that is later than this instant.
struct LogMoment {
  std::optional<std::int64_t> offset = {};
  std::optional<Timestamp> at = {};
};

// Where a log was cut.
struct LogCut {
  std::int64_t end = 0;     // the offset after its last record
  std::int64_t former = 0;  // where it ended before
  Timestamp time = {};      // of its last record
};

// Removes every record after `moment` from the log in `directory`, which nothing else uses, and
// takes its streams' versions back. Archived files stay as they are; the log no longer lists what
// is in them after that. `archives`: RecordStoreOptions::archives. Crash: the log is worthless.
//
//   kNotFound     no record is that old.
//   kInvalid      the log has no record at that offset.
//   kDamaged      a record cannot be read.
//   kUnavailable  the disk, or an archived file is missing.
Result<LogCut> cut_log(const std::filesystem::path& directory, const ArchivePlaces& archives,
                       const LogMoment& moment);

}  // namespace tilth
