// Backups of everything that the node stores, as operators ask for them. Implemented by
// app/node/node_backup.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/values/result.h"

namespace tilth {

enum class OwnerKeysInBackup : std::uint8_t { kIncluded, kLeftOut, kAlone };

struct BackupRequest {
  std::string directory;  // on the service's machine
  OwnerKeysInBackup owner_keys = OwnerKeysInBackup::kIncluded;
  // How many backups to keep in `directory`, which gets another one in a directory of its own.
  // Null: `directory` itself is made.
  std::optional<std::int64_t> keep = {};
  bool with_archive = false;  // with the archived files of the log, which else stay where they are
};

struct BackupMade {
  std::string directory;
  std::uintmax_t bytes = 0;
  std::uintmax_t copied = 0;  // of these; the rest is shared with the backup before
  std::string archive = {};   // where the archived files are that it needs; empty: it needs none
  std::string left = {};      // why older backups than `keep` are still there; empty: none is
};

// Port. Threads: any; a call takes as long as the disk needs.
class OperatedBackup {
 public:
  OperatedBackup() = default;
  OperatedBackup(const OperatedBackup&) = delete;
  OperatedBackup& operator=(const OperatedBackup&) = delete;
  virtual ~OperatedBackup() = default;

  //   kInvalid      the directory, or the one above it, does not exist; or it is one that the
  //                 service uses itself.
  //   kConflict     it exists, or, with `keep`, is a backup itself; or the log is not sealed.
  //   kDamaged      the log is.
  //   kUnavailable  the disk, an archived file that is missing, or the end of the service.
  virtual Result<BackupMade> back_up(const BackupRequest& request) = 0;
};

}  // namespace tilth
