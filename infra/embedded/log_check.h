// Reads a whole event log back, to find what the disk has damaged.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "infra/embedded/archived_files.h"

namespace tilth {

// Called from time to time with the records checked so far and their number; false ends the check.
using LogCheckGoesOn = std::function<bool(std::int64_t checked, std::int64_t total)>;

// What belongs to a log besides its directory.
struct ArchiveInCheck {
  ArchivePlaces places = {};  // RecordStoreOptions::archives
  bool read = true;           // otherwise archived files only have to be there
  bool fetches = true;        // otherwise files that would have to be fetched are passed over
  // The keys that open what is sealed, which is compared, too. Empty: it stays sealed.
  std::filesystem::path owner_keys = {};
};

// Compares every record of the log in `directory` and every stream's version with its checksum, as
// the disk has them now, and returns the number of records. Changes nothing; nothing else may use
// the directory meanwhile, so check a copy of a log that is in use: RecordStore::copy_to() links
// the files where it can. Threads: any.
//
//   kDamaged      something is missing or unreadable; the message names the first such record. Or
//                 its owner's key is missing, or is not the one that has sealed it.
//   kUnavailable  the log cannot be opened, an archived file is missing, or `goes_on` ended the
//                 check.
Result<std::int64_t> check_log(const std::filesystem::path& directory,
                               const ArchiveInCheck& archive, const LogCheckGoesOn& goes_on);

// An owner whose records cannot be opened, since their key is missing, or is another.
struct OwnerWithoutKey {
  std::string owner;
  std::int64_t records = 0;  // that are sealed
  std::int64_t first = 0;    // of these
  std::int64_t last = 0;
};

// Those of the log in `directory`, by their names, with the keys in `archive.owner_keys`. Errors:
// as above.
Result<std::vector<OwnerWithoutKey>> owners_without_keys(const std::filesystem::path& directory,
                                                         const ArchiveInCheck& archive,
                                                         const LogCheckGoesOn& goes_on);

// The archived files of the log in `directory`, which nothing else uses. Errors: as above.
Result<ArchivedFiles> archived_files_of(const std::filesystem::path& directory);

// Whether the log in `directory`, which nothing else uses, is sealed (record_seal.h). Errors: as
// above.
Result<bool> is_log_sealed(const std::filesystem::path& directory);

}  // namespace tilth
