// Whether a path lies in a directory.

#pragma once

#include <filesystem>
#include <system_error>

namespace tilth {

// `path` relative to `directory`, "." if they are the same, and empty if it is not in there.
// Follows symbolic links; `path` need not exist.
inline std::filesystem::path path_within(const std::filesystem::path& directory,
                                         const std::filesystem::path& path) {
  std::error_code failed;
  const auto above = std::filesystem::weakly_canonical(directory, failed);
  auto place = std::filesystem::weakly_canonical(path, failed).lexically_relative(above);
  return place.empty() || *place.begin() == ".." ? std::filesystem::path() : place;
}

}  // namespace tilth
