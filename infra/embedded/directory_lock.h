// Keeps a second process from opening an event log that is open.

#pragma once

#include <filesystem>
#include <memory>

#include "events/values/result.h"

namespace tilth {

// Held while it lives, by this opening alone, within the process too. Gone with the process.
class DirectoryLock {
 public:
  // kUnavailable: somebody holds it, or the directory cannot be written to.
  static Result<std::unique_ptr<DirectoryLock>> take(const std::filesystem::path& directory);

  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int file) : file_(file) {}

  const int file_;
};

}  // namespace tilth
