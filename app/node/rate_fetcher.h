// Fetches exchange rates from where the configuration says, when asked and by itself.

#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "command/finance/exchange_rate_import.h"
#include "events/values/ids.h"
#include "infra/config/config.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Several nodes may do so: what another has imported already is no change.
//
// Threads: one of its own; fetch() from any that may wait.
class RateFetcher {
 public:
  // All of it must outlive this.
  struct Parts {
    const Config::Rates& config;
    Commands& commands;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
  };
  explicit RateFetcher(Parts parts) : parts_(parts) {}
  ~RateFetcher() { stop(); }

  // Begins to import by itself, if the configuration says so.
  void begin();

  // What lies there now: a file of rates, unpacked where it is a ZIP archive.
  //
  //   kConflict     the configuration names no place.
  //   kUnavailable  there is no such answer; the message says where and why.
  Result<std::string> fetch() const;

  // Does not wait for a transfer that is under way.
  void stop();

 private:
  void run(const std::stop_token& stop);
  Result<ImportedExchangeRates> import() const;

  const Parts parts_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace tilth
