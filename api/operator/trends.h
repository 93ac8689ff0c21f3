// A few figures of the last hour, for people who look at how the service fares.

#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tilth {

// What is measured, such as lagSeconds of registry, and the figure.
using Figures = std::map<std::pair<std::string, std::string>, double>;

// Operation: somebody measures now and then; what is older than an hour is forgotten. Prometheus
// keeps more, and for longer.
//
// Threads: any. Crash: starts from nothing.
class Trends {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEvery{15};

  // `measure` may take a moment.
  explicit Trends(std::function<Figures()> measure) : measure_(std::move(measure)) {}

  // Measures and keeps the figures.
  void sample();

  // {"everySeconds": …, "secondsAgo": […], "series": [{"name", "of", "values": […]}]}, oldest
  // first; the last ones are measured now. A figure that was not known then is null.
  std::string json() const;

 private:
  struct Sample {
    Steady::time_point at;
    Figures figures;
  };
  static constexpr std::size_t kMost = std::chrono::hours(1) / kEvery;

  const std::function<Figures()> measure_;
  mutable std::mutex mutex_;
  std::deque<Sample> samples_;  // guarded by the mutex
};

}  // namespace tilth
