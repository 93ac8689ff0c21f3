// Distinguishes a torn tail of a RocksDB write-ahead log from damage, before RocksDB opens it.
//
// RocksDB 7.8 cannot: kTolerateCorruptedTailRecords silently cuts a tail, kPointInTimeRecovery
// silently drops every write after a flipped byte, and kAbsoluteConsistency refuses both, but skips
// zeros between two writes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// What was found in one write-ahead log.
struct WalScan {
  std::size_t whole = 0;  // up to here every write is whole
  // Where another intact write begins. Each write is synced before the next one begins, so the
  // bytes between `whole` and this were acknowledged and are damaged.
  std::optional<std::size_t> intact_again;
};

// Calls `on_write` with the bytes of each write batch before WalScan::whole. Pure.
WalScan scan_wal(std::string_view wal, const std::function<void(std::string_view)>& on_write);

// What was found in the write-ahead logs of a directory: normally only the newest records.
struct WalFindings {
  // Bytes after the last whole write of a file, with no intact write after them: a part of one that
  // was not finished, and zeros that writes would have replaced (zeroed_logs.h).
  struct Tail {
    std::filesystem::path file;
    std::size_t whole;
    std::size_t torn;                   // the bytes up to its last one that is not zero
    std::optional<std::int64_t> after;  // the last record before them, if it is in these files
  };
  // Records that are in none of these files, though earlier and later ones are.
  struct Gap {
    std::filesystem::path file;  // where the records before them end
    std::size_t position;
    std::int64_t first;
    std::int64_t last;
  };

  std::vector<Tail> tails;
  std::vector<Gap> gaps;
  std::optional<std::int64_t> last;  // the last record in them
};

// Reads every *.log in `directory` and changes nothing. Nothing may be written there meanwhile.
// kDamaged: the message names the file and the position; kUnavailable: a file cannot be read.
Result<WalFindings> scan_wals(const std::filesystem::path& directory);

}  // namespace tilth
