// Remembers when the node was last backed up, so that a forgotten backup is noticed.

#pragma once

#include <filesystem>
#include <mutex>

#include "events/values/time.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Threads: any. Crash: the file `last-backup` of the data directory has the time.
class LastBackup {
 public:
  explicit LastBackup(std::filesystem::path file);

  void succeeded(Timestamp now, LogLines& log);
  void report(Samples& to) const;

 private:
  const std::filesystem::path file_;
  // Held while the file is written, since two backups may end at once; locked before mutex_.
  std::mutex writing_;
  mutable std::mutex mutex_;  // guards what follows
  Timestamp at_{};
};

}  // namespace tilth
