// Which files hold the archived beginning of an embedded log. The log's database keeps this list.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

class ArchiveCache;

// The directory of a data directory, or of a backup, that archived files are looked for in first.
inline constexpr std::string_view kArchive = "archive";
// The directory of a data directory for those that were fetched from a store.
inline constexpr std::string_view kArchiveCache = "archive-cache";

// Holds the records from `first` on and before `end`, and perhaps some after them that are no
// longer part of the log.
struct ArchivedFile {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::uintmax_t bytes = 0;
  std::string hash = {};  // of its content, as hash_of_file()
  // Where it was put. It may be moved: its name stays.
  std::filesystem::path path = {};
  bool stored = false;  // in a store, too: archive_store.h

  friend bool operator==(const ArchivedFile&, const ArchivedFile&) = default;
};

// Where archived files are looked for.
struct ArchivePlaces {
  // By their names, before where they were put.
  std::vector<std::filesystem::path> directories = {};
  // Fetches those that are in a store. Null: there is none.
  std::shared_ptr<ArchiveCache> cache = {};
};

// In the order of the log, without gaps, from offset 0 on.
struct ArchivedFiles {
  bool sealed = false;  // whether the log is (record_seal.h)
  std::vector<ArchivedFile> files = {};

  // The offset after the last archived record.
  std::int64_t end() const { return files.empty() ? 0 : files.back().end; }

  // As the database stores it, and back. kDamaged: the message is the end of a sentence.
  std::string text() const;
  static Result<ArchivedFiles> parse(std::string_view text);
};

}  // namespace tilth
