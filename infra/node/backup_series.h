// Backups in one directory that share the files that have not changed between them.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "events/values/time.h"
#include "infra/node/backup.h"

namespace tilth {

// The whole backups in `series`, the oldest first. None if there is no such directory.
std::vector<std::filesystem::path> backups_in(const std::filesystem::path& series);

// Where the backup of that instant belongs.
std::filesystem::path backup_of(const std::filesystem::path& series, Timestamp at);

struct SharingBackup {
  std::uintmax_t bytes = 0;
  std::uintmax_t copied = 0;  // of these; the rest are links to files of the backup before
};

// As back_up() to `directory`, which backup_of() has named. Each backup in a series is whole: any
// of them may be restored, moved or removed. Parts are first put into `aside`, which must not
// exist, on the disk of the data; then a file whose content the newest backup has, too, is linked,
// and any other copied. Both are read back from the disk and compared. Owners' keys are never
// linked, nor put aside.
//
// Errors: as back_up(). Crash: also, `aside` may remain.
Result<SharingBackup> back_up_sharing(const std::filesystem::path& directory,
                                      const std::filesystem::path& aside,
                                      const std::vector<BackedUp>& parts);

// Removes all backups of the series but the newest `keep`, and what a kill has left. The owners'
// keys in them are overwritten.
//
//   kUnavailable  one cannot be removed; the message names it.
Status remove_old_backups(const std::filesystem::path& series, std::size_t keep);

}  // namespace tilth
