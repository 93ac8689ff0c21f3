// Prevents an event log from being opened twice.

#pragma once

#include <filesystem>
#include <memory>

#include "events/values/result.h"

namespace tilth {

// Held while the object exists, and exclusive within the process, too. Released when the process
// ends.
class DirectoryLock {
 public:
  // Creates the directory if it is missing; its name is durable then. kUnavailable: the lock is
  // already held, or the directory cannot be written to.
  static Result<std::unique_ptr<DirectoryLock>> take(const std::filesystem::path& directory);

  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int file) : file_(file) {}

  const int file_;
};

}  // namespace tilth
