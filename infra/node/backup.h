// Copies a data directory while the service uses it, and makes one from such a copy.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// Something that knows how to copy itself while it is in use.
struct BackedUp {
  std::filesystem::path name;  // where it lies in a data directory: "views/registry/1"
  std::function<Status(const std::filesystem::path& to)> copy_to;  // `to` does not exist yet
};

// A small file, under its own name.
BackedUp copy_of_file(const std::filesystem::path& file);

// Makes `directory`, which must not exist, a copy of `parts` in their order. A part that follows
// another (rows follow the log) must be copied before it, so that the copy of the log reaches
// further. Answers the bytes it holds. Threads: any, one at a time for one directory. Crash: the
// directory is there whole or not at all; what was half made lies next to it under another name.
//
//   kConflict     there is something of that name already.
//   kInvalid      there is no directory to make it in.
//   kUnavailable  a part cannot be copied; nothing is left.
Result<std::uintmax_t> back_up(const std::filesystem::path& directory,
                               const std::vector<BackedUp>& parts);

// Told after each file: how many bytes are copied, and of how many.
using CopyProgress = std::function<void(std::uintmax_t copied, std::uintmax_t total)>;

// Makes the data directory `fresh`, which must not exist, from the backup in `directory`, which
// stays as it is. Needs no service. Crash: as back_up().
//
//   kNotFound     there is no backup.
//   kDamaged      a file is not as it was written, is missing or was added; the message names it.
//   kConflict, kInvalid, kUnavailable  as above.
Status restore(const std::filesystem::path& directory, const std::filesystem::path& fresh,
               const CopyProgress& tell);

}  // namespace tilth
