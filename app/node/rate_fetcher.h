// Fetches exchange rates from the configured URL, on request and periodically.

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

// Several nodes may do so: rates that another node has imported are not a change.
//
// Threads: one of its own; fetch() from any that may block.
class RateFetcher {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    const Config::Rates& config;
    Commands& commands;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
  };
  explicit RateFetcher(Parts parts) : parts_(parts) {}
  ~RateFetcher() { stop(); }

  // Starts the periodic import, if it is configured.
  void begin();

  // The current file of rates, unpacked if it is a ZIP archive.
  //
  //   kConflict     no URL is configured.
  //   kUnavailable  there is no valid response; the message says where and why.
  Result<std::string> fetch() const;

  // Aborts a transfer in progress.
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
