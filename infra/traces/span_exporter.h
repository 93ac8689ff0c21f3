// Sends spans to a collector, by OTLP over HTTP.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "events/values/result.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "infra/system/fetch.h"
#include "infra/traces/otlp_json.h"
#include "infra/traces/span.h"

namespace tilth {

struct Collector {
  std::string endpoint;
  std::vector<std::string> headers = {};  // "NAME: VALUE"
};

// The headers in that file, one a line. Empty lines do not count.
//
//   kUnavailable  it cannot be read.
//   kDamaged      a line is no header; the message gives its number, and nothing of the line.
Result<std::vector<std::string>> read_header_file(const std::filesystem::path& path);

// Collects spans in memory and sends them in batches, on a thread of its own. What finds no room is
// dropped; a batch that the collector does not take is sent again a few times, and meanwhile no
// other. So a collector that hangs or is gone costs that memory and nothing else.
//
// Threads: any, except that one destroys it. Crash: the spans that wait are lost.
class SpanExporter {
 public:
  struct Limits {
    std::size_t waiting = 8'192;  // spans
    std::size_t batch = 512;
    std::chrono::milliseconds linger{1'000};   // for more spans of the batch
    std::chrono::milliseconds timeout{5'000};  // of an export
    int attempts = 4;
    std::chrono::milliseconds first_pause{1'000}, longest_pause{30'000};  // between attempts
    std::chrono::milliseconds at_stop{500};                               // to send what waits
  };
  using Send = std::function<Result<Fetched>(const FetchRequest&)>;

  SpanExporter(Collector collector, TraceResource resource, LogLines& log_lines);
  SpanExporter(Collector collector, TraceResource resource, LogLines& log_lines, Limits limits,
               Send send);
  ~SpanExporter();

  // Returns at once. Drops them all if there is no room for them all.
  void add(std::vector<Span> spans);

  // Sends what waits, within a part of a second. Spans that are added later are dropped.
  void stop();

  void report(Samples& to) const;

 private:
  // Why a batch, or a part of it, was not taken.
  enum class Failure : std::uint8_t {
    kUnreachable,  // no response in time
    kUnavailable,  // 429 or 5xx
    kRefused,      // another status
    kRejected,     // spans that an accepted export reports
    kStopped,      // the service has ended
  };
  static constexpr std::size_t kFailures = 5;

  void run();
  std::vector<Span> next_batch();
  void export_batch(const std::vector<Span>& batch);
  std::optional<Failure> send_once(const std::string& body, std::size_t spans);
  bool pause(std::chrono::milliseconds length);
  void count_failed(Failure why, std::uint64_t spans);

  const Collector collector_;
  const TraceResource resource_;
  LogLines& log_lines_;
  const Limits limits_;
  const Send send_;
  std::atomic<std::uint64_t> sent_ = 0, dropped_ = 0;
  std::array<std::atomic<std::uint64_t>, kFailures> failed_ = {};
  std::atomic<bool> abort_ = false;  // ends an export that is under way
  mutable std::mutex mutex_;         // guards what follows
  std::condition_variable changed_, ended_;
  std::vector<Span> waiting_;
  bool stopping_ = false, has_ended_ = false;
  std::thread thread_;
};

}  // namespace tilth
