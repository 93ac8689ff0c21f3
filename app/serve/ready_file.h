// Announces that the service is ready, and its addresses.

#pragma once

#include <filesystem>

#include "events/values/result.h"
#include "infra/config/config.h"

namespace tilth {

// The ready file; it exists from the moment the service is ready until it ends cleanly.
//
// Threads: one. Crash: the file stays, and names a process that no longer exists.
class ReadyFile {
 public:
  // With an empty path there is no file, and nothing fails.
  explicit ReadyFile(std::filesystem::path path) : path_(std::move(path)) {}
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;
  ~ReadyFile();

  // Removes what a killed process left, before it can be mistaken for this one's. A file that names
  // a living process stays.
  //
  //   kUnavailable  it cannot be removed, or could not be written; the message names it.
  Status clear_left() const;

  // Removes any existing file, whatever process wrote it.
  //
  //   kUnavailable  it cannot be removed; the message names it.
  Status clear() const;

  // Writes the file: {"listen":"127.0.0.1:40123","operatorListen":"127.0.0.1:40124","pid":1234}.
  //
  //   kUnavailable  it cannot be written; the message names it.
  Status write(const HostPort& listen, const HostPort& operator_listen);

  // Removes it, before the service stops serving. Idempotent.
  void remove();

 private:
  const std::filesystem::path path_;
  bool written_ = false;
};

}  // namespace tilth
