// The archive of the event log as operators see and extend it. Implemented by
// app/node/node_archive.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Which records to archive: those before an instant, or before an offset.
struct ArchiveRequest {
  std::optional<std::string> directory = {};  // null: the configured one
  std::optional<Timestamp> before = {};
  std::optional<std::int64_t> before_offset = {};
};

struct ArchiveFileState {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uintmax_t bytes = 0;
  std::string path = {};  // where it is, or where it was put
  bool is_local = false;
  std::string stored_as = {};  // its name in the store; empty: it is not there
  bool can_be_fetched = false;
  std::string problem = {};  // why it cannot be read; empty: as far as is known, it can
};

struct ArchiveStanding {
  std::int64_t records = 0;  // from offset 0 on
  std::int64_t moved = 0;    // of these, by the request that is answered
  std::uintmax_t bytes = 0;
  std::vector<ArchiveFileState> files = {};
};

// Port. Threads: any; calls may take as long as the disk needs.
class OperatedArchive {
 public:
  OperatedArchive() = default;
  OperatedArchive(const OperatedArchive&) = delete;
  OperatedArchive& operator=(const OperatedArchive&) = delete;
  virtual ~OperatedArchive() = default;

  virtual ArchiveStanding standing() const = 0;

  // Moves old records out of the log. What was moved before an error stays moved.
  //
  //   kInvalid      the directory does not exist, or there is none; the message is for its member.
  //   kConflict     files of another log are in the way.
  //   kDamaged, kUnavailable  a record, the disk, or the store.
  virtual Result<ArchiveStanding> archive(const ArchiveRequest& request) = 0;
};

}  // namespace tilth
