// Counts responses by method, route and status, at minimal cost, since every response passes here.
// For the .cc files of this folder only: it includes prometheus-cpp.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace tilth {

// Threads: any. A combination that was seen before is found without a lock. Beyond kMost
// combinations, more than the routes can produce, the rest are counted together.
class AnswerCounts {
 public:
  explicit AnswerCounts(prometheus::Registry& registry);

  // `route` is a pattern, or "" if none matched.
  void count(std::string_view method, std::string_view route, int status,
             std::chrono::nanoseconds took);

 private:
  struct Series {
    std::string_view method;
    std::string route;
    int status = 0;
    prometheus::Counter* requests = nullptr;
    prometheus::Histogram* duration = nullptr;
  };
  static constexpr std::size_t kSlots = 8'192;  // a power of two
  static constexpr std::size_t kMost = kSlots / 2;

  const Series& find(std::string_view method, std::string_view route, int status);
  const Series& insert(std::string_view method, std::string_view route, int status,
                       std::size_t hash);
  Series make(std::string_view method, std::string_view route, int status);

  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& durations_;
  std::array<std::atomic<const Series*>, kSlots> slots_ = {};
  std::mutex inserting_;    // guards what follows; slots are only ever filled
  std::deque<Series> all_;  // at stable addresses
  const Series* others_ = nullptr;
};

}  // namespace tilth
