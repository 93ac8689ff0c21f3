// Finds an event id that an import has twice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "events/values/ids.h"
#include "events/values/result.h"

namespace tilth {

// Sorts the ids on disk, in runs: an import is checked in the same memory at any length.
//
// Threads: one.
//
// Crash: the files are worthless.
class UniqueIds {
 public:
  static constexpr std::size_t kAtOnce = 1 << 20;  // ids in memory: 24 MB

  // Its files are in `directory`, and are left there.
  explicit UniqueIds(std::filesystem::path directory, std::size_t at_once = kAtOnce)
      : directory_(std::move(directory)), at_once_(at_once) {}

  // kUnavailable: the disk refuses.
  Status add(const Uuid& id, std::int64_t line);

  // A line whose id an earlier one has, and that one.
  struct Repeat {
    std::int64_t line, earlier;
  };
  // The first such line, or null. kUnavailable: the disk refuses.
  Result<std::optional<Repeat>> find_repeat();

 private:
  struct Entry {
    Uuid id;
    std::int64_t line;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  class Run;

  Status write_run();

  const std::filesystem::path directory_;
  const std::size_t at_once_;
  std::vector<Entry> entries_;  // in no run yet
  std::size_t runs_ = 0;
};

}  // namespace tilth
