// The directory that holds all that a node keeps: its lock, its name and its secrets next to the
// log and the read models.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// A data directory that belongs to this process until it is destroyed.
//
// Threads: none of its own; its members do not change. Crash: the lock goes with the process;
// every file is there whole or not at all.
class DataDirectory {
 public:
  // Makes the directory and its files where they are missing, and takes its lock.
  //
  //   kConflict     another process holds the lock; the message says which.
  //   kUnavailable  something cannot be made, read or written; the message names it.
  //   kDamaged      a file is not what it must be, or the key secret of a directory that has been
  //                 in use is gone; the message names it.
  static Result<DataDirectory> open(const std::filesystem::path& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  // Removes the directory again, with all that is in it, if open() made it: nothing half-made is
  // left of a start that failed before anybody was served.
  void discard();

  const std::filesystem::path& path() const { return path_; }

  // What an operator must show: `operator.token`, readable by its owner alone. An operator may
  // replace it between two starts.
  const std::string& operator_token() const { return operator_token_; }

  // 32 random bytes with which API keys are digested: `key.secret`. Anyone who moves history to
  // another directory and wants the keys to go on working copies this file there first.
  const std::string& key_secret() const { return key_secret_; }

  // This node's name, `node`: what events are said to come from.
  const std::string& node() const { return node_; }

  // The files that go along when the data move to another directory: the key secret, the test
  // clock's stand, what operators ordered of the projections. Its token and its name are a
  // directory's own.
  std::vector<std::filesystem::path> moving_files() const;

  // Where the test clock remembers its stand.
  std::filesystem::path test_clock() const { return path_ / "test-clock"; }

  // What operators ordered of the projections.
  std::filesystem::path projection_overrides() const { return path_ / "projections"; }

  // There while the shipped crop library is being given to an empty log.
  std::filesystem::path library_mark() const { return path_ / "library-begun"; }

 private:
  DataDirectory(std::filesystem::path path, int lock);

  std::filesystem::path path_;
  int lock_;           // the open, locked file
  bool made_ = false;  // by open()
  std::string operator_token_;
  std::string key_secret_;
  std::string node_;
};

}  // namespace tilth
