// Checks the embedded event log while the service runs, so that damage is known before it is
// needed, and before it is in every backup.

#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "api/operator/operated_log_check.h"
#include "infra/embedded/archived_files.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Decision 72. Operation: a minute after the start, daily, and on request, links the log's files to
// a directory of their own and reads all of them back, three quarters of the time idle unless an
// operator waits. Archived files that are only in a store are fetched for an operator's check, and
// not for the others, since that may cost money.
//
// Threads: one of its own, with a low priority; the rest from any. Crash: the next start removes
// the directory.
class LogCheck final : public OperatedLogCheck {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    std::function<Status(const std::filesystem::path&)> copy_log;  // to a directory to be made
    ArchivePlaces archives;                                        // NodeLogs::archives
    std::function<void()> look_at_archive;                         // of the log itself
    std::filesystem::path aside;                                   // where that is
    const Clock& clock;
    LogLines& log;
  };
  explicit LogCheck(Parts parts);
  ~LogCheck() override { stop(); }

  LogCheckStanding standing() const override;
  void begin() override;
  void report(Samples& to) const;

  // Ends a running check.
  void stop();

 private:
  void run(const std::stop_token& stop);
  void check(const std::stop_token& stop);
  bool go_on(std::int64_t checked, std::int64_t total, const std::stop_token& stop);
  void conclude(const Result<std::int64_t>& records, bool fetches);

  const Parts parts_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  LogCheckStanding standing_;
  bool urgent_ = false;  // an operator waits

  std::chrono::steady_clock::time_point page_began_;  // of the check's thread
  std::jthread thread_;
};

}  // namespace tilth
