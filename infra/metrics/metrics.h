// The service's metrics for Prometheus.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/exchange.h"

namespace tilth {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Collects samples during a scrape. All samples of one name must have the same help.
class Samples {
 public:
  virtual ~Samples() = default;
  virtual void gauge(std::string_view name, std::string_view help, MetricLabels labels,
                     double value) = 0;
  // Never decreases while the service runs; its name ends in _total.
  virtual void counter(std::string_view name, std::string_view help, MetricLabels labels,
                       double value) = 0;
};

// Which listener accepted a connection.
enum class Listener : std::uint8_t { kApi, kOperator };

// docs/metrics.md says what each metric means, and when to worry.
//
// Threads: any. Counting a response does not allocate once its route and status have been seen.
// Crash: everything starts from 0 again, as Prometheus expects.
class Metrics {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics();

  void answered(const Answered& answer);
  void connections(Listener listener, std::int64_t open);
  // A connection was closed in favor of a new one; a new one was refused.
  void evicted(Listener listener);
  void turned_away(Listener listener);
  // A client that goes on asking after refusals is read more slowly for a moment.
  void rested(Listener listener);
  void protocol_error(int status);

  // A record was given to the log; `stale`: the log refused it because its stream had moved on.
  void appended(bool stale);
  // The embedded log made a group of records durable.
  void group_synced(std::size_t records, std::chrono::nanoseconds took);
  // Kafka acknowledged a record; an append's outcome is unknown; the client had to be replaced.
  void produced(std::chrono::nanoseconds took);
  void produce_unknown();
  void kafka_client_renewed();

  // Called for every scrape; what it refers to must outlive the last text().
  void add_source(std::function<void(Samples&)> source);
  void add_gauge(std::string name, std::string help, MetricLabels labels,
                 std::function<double()> value);

  // All metrics, in Prometheus's text format 0.0.4.
  std::string text() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
