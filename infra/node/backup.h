// Backs up a data directory while the service uses it, and restores one from a backup.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// A part of a data directory that can be copied while it is in use.
struct BackedUp {
  std::filesystem::path name;  // relative to the data directory: "views/registry/1"
  std::function<Status(const std::filesystem::path& to)> copy_to;  // `to` does not exist yet
};

// A small file, under its own name.
BackedUp copy_of_file(const std::filesystem::path& file);

// Copies `parts`, in their order, to `directory`, which must not exist. A part that follows another
// (rows follow the log) must come before it, so that the copy of the log reaches further. Returns
// the size in bytes. Threads: any, one at a time for one directory. Crash: the directory exists
// completely or not at all; a partial copy remains next to it under another name.
//
//   kConflict     `directory` exists already, or is in another backup.
//   kInvalid      its parent directory does not exist.
//   kUnavailable  a part cannot be copied; nothing is left, and the owners' keys that it has copied
//                 are overwritten.
//
// An erasure may destroy owners' keys in the copy meanwhile.
Result<std::uintmax_t> back_up(const std::filesystem::path& directory,
                               const std::vector<BackedUp>& parts);

// Whether back_up() has completed `directory`.
bool is_backup(const std::filesystem::path& directory);

// Whether it is marked as a whole backup of any version. kUnavailable: its mark cannot be read, or
// what has its name.
Result<bool> is_marked(const std::filesystem::path& directory);

// Makes it none, durably: what is left of it is worthless. kUnavailable.
Status unmark_backup(const std::filesystem::path& directory);

// Removes what is left of a backup, and overwrites the owners' keys in it before that, but for
// those that are hard links to a file that stays.
//
//   kUnavailable  something of it remains; the message names it.
Status remove_backup(const std::filesystem::path& directory);

// Called after each file with the bytes copied so far and in total.
using CopyProgress = std::function<void(std::uintmax_t copied, std::uintmax_t total)>;

// Whether a restored directory can be used, before it gets its name.
using RestoredCheck = std::function<Status(const std::filesystem::path& restored)>;

// Restores the backup in `directory`, which does not change, to the data directory `fresh`, which
// must not exist. Needs no running service. If it fails, the owners' keys that it has copied are
// overwritten. Crash: as back_up().
//
// With `into_empty`, `fresh` may exist if it is empty, such as the root of a disk, and its parents
// are created. If it fails, `fresh` is empty again, and the parents are removed. Crash:
// DataDirectory::open() refuses what remains, and another restore replaces it.
//
//   kNotFound     there is no backup.
//   kDamaged      a file was changed, is missing or was added; the message names it. Or `check`
//                 found what was backed up to be damaged.
//   kConflict     `fresh` exists already, is in the backup, or is in another.
//   kInvalid, kUnavailable  as above.
Status restore(const std::filesystem::path& directory, const std::filesystem::path& fresh,
               const CopyProgress& on_progress, const RestoredCheck& check,
               bool into_empty = false);

// Exists in a directory while it is being restored in place.
inline constexpr std::string_view kRestoring = "restoring";

}  // namespace tilth
