// The service: all its parts and their dependencies. Only this file and its .cc know all of them.

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

// Threads: one starts and stops it; it has its own. Crash: what was acknowledged is in the log; the
// next start recreates the rest from it.
class Service {
 public:
  // Opens the log and the read models, and listens; the API sends 503. An Error is one plain
  // sentence, and no request was served. All arguments must outlive the service. `test_clock` is
  // the clock that operators move, and the same as `clock`; null without one. Waiting for brokers
  // ends when `stop_asked` returns true, which several threads ask at the same time.
  static Result<std::unique_ptr<Service>> open(const Config& config, const DataDirectory& directory,
                                               const Clock& clock, TestClock* test_clock,
                                               LogLines& log,
                                               const std::function<bool()>& stop_asked);
  ~Service();

  // Returns when everything that the log held can be read and the API serves requests; or with an
  // Error when `stop_asked` returns true.
  Status become_ready(const std::function<bool()>& stop_asked);

  std::string address() const;
  std::string operator_address() const;

  // Accepts no new connections; requests in flight get responses, then everything is flushed and
  // closed.
  void stop();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
