// The directory that holds everything a node stores: its lock, its name, its secrets, the log and
// the read models.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// A data directory that this process owns while the object exists.
//
// Threads: none of its own; its members do not change. Crash: the lock is released with the
// process; every file exists completely or not at all.
class DataDirectory {
 public:
  // Creates the directory and its files if they are missing, and takes its lock.
  //
  //   kConflict     another process holds the lock; the message says which.
  //   kUnavailable  something cannot be created, read or written; the message names it.
  //   kDamaged      a file is invalid, or the key secret of a directory that was in use is missing;
  //                 the message names it.
  static Result<DataDirectory> open(const std::filesystem::path& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  // Removes the directory and its contents if open() created it, and the empty ones above it that
  // it created: a start that fails before it serves a request leaves nothing behind.
  void discard();

  const std::filesystem::path& path() const { return path_; }

  // The token that operators authenticate with: `operator.token`, readable by its owner only. An
  // operator may replace it between two starts.
  const std::string& operator_token() const { return operator_token_; }

  // 32 random bytes with which API keys are digested: `key.secret`. To move a history to another
  // directory and keep its API keys valid, copy this file there first.
  const std::string& key_secret() const { return key_secret_; }

  // This node's name, `node`: the source of its events.
  const std::string& node() const { return node_; }

  // The files to copy when the data move to another directory: the key secret, the test clock's
  // time, the operator overrides of the projections. Each directory keeps its own operator token
  // and name.
  std::vector<std::filesystem::path> moving_files() const;

  // Whether `path` is the directory itself, or in a folder of it that the service uses, of which it
  // empties some at a start. Follows symbolic links; `path` need not exist.
  bool uses(const std::filesystem::path& path) const;

  // A file that every user of this machine may read, as far as the modes within the directory say;
  // nullopt if there is none.
  std::optional<std::filesystem::path> readable_by_others() const;

  // Where the test clock stores its time.
  std::filesystem::path test_clock() const { return path_ / "test-clock"; }

  // The operator overrides of the projections.
  std::filesystem::path projection_overrides() const { return path_ / "projections"; }

  // Exists while the shipped crop library is being imported into an empty log.
  std::filesystem::path library_mark() const { return path_ / "library-begun"; }

 private:
  DataDirectory(std::filesystem::path path, int lock);

  std::filesystem::path path_;
  int lock_;                                 // the open, locked file
  std::vector<std::filesystem::path> made_;  // by open(): it and those above it, the lowest first
  std::string operator_token_;
  std::string key_secret_;
  std::string node_;
};

}  // namespace tilth
