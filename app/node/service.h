// The service: which parts there are, and who knows whom. Only this file and its .cc know all of
// them.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "events/values/result.h"
#include "infra/config/config.h"
#include "infra/log_lines/log_lines.h"
#include "infra/node/data_directory.h"
#include "infra/system/clock.h"

namespace tilth {

// Threads: one starts and stops it; it has threads of its own. Crash: what was acknowledged is in
// the log; the rest is recreated from it at the next start.
class Service {
 public:
  // Opens the log and the read models, and listens; the API answers 503. An Error is one plain
  // sentence, and no one was served. All that is given outlives the service. `test_clock` is what
  // operators move, and the `clock`; null without one. It waits for brokers no longer than until
  // `stop_asked`.
  static Result<std::unique_ptr<Service>> open(const Config& config, const DataDirectory& directory,
                                               const Clock& clock, TestClock* test_clock,
                                               LogLines& log,
                                               const std::function<bool()>& stop_asked);
  ~Service();

  // Returns when everything that the log held can be read, and the API answers; or when
  // `stop_asked` says so, with an Error like any other.
  Status become_ready(const std::function<bool()>& stop_asked);

  std::string address() const;
  std::string operator_address() const;

  // No new connections; requests in flight are answered, then everything is flushed and closed.
  void stop();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
