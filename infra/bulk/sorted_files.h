// Writes rows in key order to files that a database ingests as they are.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

class RocksMemory;

// Threads: one.
class SortedFiles {
 public:
  // Writes to `directory`; each file's name begins with `name`.
  SortedFiles(std::filesystem::path directory, std::string name, const RocksMemory& memory);
  ~SortedFiles();

  // Keys in ascending order, each once. end() returns any error.
  void add(std::string_view key, std::string_view value);
  // kUnavailable: not all of it could be written.
  Status end();

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  struct File;

  const std::filesystem::path directory_;
  const std::string name_;
  const RocksMemory& memory_;
  std::unique_ptr<File> file_;
  std::vector<std::string> paths_;
  Status status_ = kDone;
};

}  // namespace tilth
