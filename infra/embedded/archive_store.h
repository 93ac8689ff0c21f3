// The port of a store that keeps archived files for good, such as an object store.

#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "events/values/result.h"

namespace tilth {

// Errors: kUnavailable; the message is the end of a sentence.
//
// Threads: any. A call may take minutes.
class ArchiveStore {
 public:
  ArchiveStore() = default;
  ArchiveStore(const ArchiveStore&) = delete;
  ArchiveStore& operator=(const ArchiveStore&) = delete;
  virtual ~ArchiveStore() = default;

  // Keeps a copy of `file` under this name. Names have no directory, and one names the same content
  // whenever it is used.
  virtual Status put(const std::filesystem::path& file, const std::string& name) = 0;

  // Writes what was put under this name to `to`, which does not exist, in a directory that does.
  virtual Status get(const std::string& name, const std::filesystem::path& to) = 0;

  // Ends what is running, soon, and refuses what comes.
  virtual void end() = 0;

  // From now on, what is running also ends once `asked` returns true, which is called on any
  // thread. Null: no longer.
  virtual void end_when(std::function<bool()> asked) = 0;
};

}  // namespace tilth
