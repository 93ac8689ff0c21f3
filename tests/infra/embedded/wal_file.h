// Helpers for the file that holds the newest records of an embedded log.

#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "infra/embedded/wal_scan.h"

namespace tilth::testing {

inline std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// The non-empty file with this extension; an empty path if there is none.
inline std::filesystem::path file_with(const std::filesystem::path& directory,
                                       const std::string& extension) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == extension && entry.file_size() > 0) return entry.path();
  }
  return {};
}

// Where the whole writes of a write-ahead log end, which is followed by zeros while it is open.
inline std::size_t end_of_writes(const std::filesystem::path& wal) {
  return scan_wal(content(wal), [](std::string_view) {}).whole;
}

}  // namespace tilth::testing
