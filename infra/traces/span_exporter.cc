#include "infra/traces/span_exporter.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "api/platform/thread_name.h"
#include "infra/system/thread_priority.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

constexpr std::array<std::string_view, 5> kReasons = {"unreachable", "unavailable", "refused",
                                                      "rejected", "stopped"};

bool is_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == line.npos || colon == 0) return false;
  const auto name = line.substr(0, colon);
  const auto value = line.substr(colon + 1);
  return std::ranges::all_of(name,
                             [](unsigned char c) {
                               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                             }) &&
         value.find_first_not_of(' ') != value.npos &&
         std::ranges::all_of(value, [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
}

}  // namespace

Result<std::vector<std::string>> read_header_file(const std::filesystem::path& path) {
  const auto content = read_whole_file(path);
  if (!content || !*content) {
    return Error{ErrorCode::kUnavailable,
                 "The file " + path.string() + ", named as traces.headers_file, cannot be read."};
  }
  std::vector<std::string> headers;
  std::istringstream lines(**content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (!is_header(line)) {
      return Error{ErrorCode::kDamaged, path.string() + ", line " + std::to_string(number) +
                                            ": there must be a header, NAME: VALUE."};
    }
    headers.push_back(std::move(line));
  }
  return headers;
}

SpanExporter::SpanExporter(Collector collector, TraceResource resource, LogLines& log_lines)
    : SpanExporter(std::move(collector), std::move(resource), log_lines, Limits{}, fetch) {}

SpanExporter::SpanExporter(Collector collector, TraceResource resource, LogLines& log_lines,
                           Limits limits, Send send)
    : collector_(std::move(collector)),
      resource_(std::move(resource)),
      log_lines_(log_lines),
      limits_(limits),
      send_(std::move(send)),
      thread_([this] { run(); }) {}

SpanExporter::~SpanExporter() { stop(); }

void SpanExporter::add(std::vector<Span> spans) {
  if (spans.empty()) return;
  bool worth_waking = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.size() + spans.size() > limits_.waiting) {
      dropped_ += spans.size();
      return;
    }
    const auto before = waiting_.size();
    std::ranges::move(spans, std::back_inserter(waiting_));
    worth_waking = before == 0 || (before < limits_.batch && waiting_.size() >= limits_.batch);
  }
  if (worth_waking) changed_.notify_one();
}

void SpanExporter::stop() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
    ended_.wait_for(lock, limits_.at_stop, [this] { return has_ended_; });
    abort_ = true;
  }
  thread_.join();
}

void SpanExporter::run() {
  name_thread("traces");
  lower_thread_priority();
  for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) export_batch(batch);
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
}

// Empty: it stops, and nothing waits.
std::vector<Span> SpanExporter::next_batch() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  changed_.wait_for(lock, limits_.linger,
                    [this] { return stopping_ || waiting_.size() >= limits_.batch; });
  const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), limits_.batch));
  const auto end = waiting_.begin() + count;
  std::vector<Span> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

void SpanExporter::export_batch(const std::vector<Span>& batch) {
  if (abort_) return count_failed(Failure::kStopped, batch.size());
  const auto body = otlp_json(resource_, batch);
  auto length = limits_.first_pause;
  for (int attempt = 1;; ++attempt) {
    const auto failure = send_once(body, batch.size());
    if (!failure) return;
    const bool may_recover = *failure == Failure::kUnreachable || *failure == Failure::kUnavailable;
    if (!may_recover || attempt == limits_.attempts || !pause(length)) {
      return count_failed(*failure, batch.size());
    }
    length = std::min(2 * length, limits_.longest_pause);
  }
}

// Null: the collector has taken the batch.
std::optional<SpanExporter::Failure> SpanExporter::send_once(const std::string& body,
                                                             std::size_t spans) {
  // Without "Expect", a long body is sent without asking first.
  FetchRequest request{.url = collector_.endpoint,
                       .form = body,
                       .headers = {"Content-Type: application/json", "Expect:"},
                       .stopped = &abort_,
                       .timeout = limits_.timeout};
  std::ranges::copy(collector_.headers, std::back_inserter(request.headers));
  const auto response = send_(request);
  const auto warn = [this](const std::string& why) {
    log_lines_.warn("Spans could not be sent.", {{"why", why}});
  };
  if (!response) {
    if (abort_) return Failure::kStopped;
    warn(response.error().message);
    return Failure::kUnreachable;
  }
  const auto status = response->status;
  if (status < 200 || status >= 300) {
    warn("The collector answers " + std::to_string(status) + ".");
    return status == 429 || status >= 500 ? Failure::kUnavailable : Failure::kRefused;
  }
  const auto rejected = std::min<std::uint64_t>(rejected_spans(response->body), spans);
  sent_ += spans - rejected;
  if (rejected > 0) {
    warn("The collector rejects " + std::to_string(rejected) + " of " + std::to_string(spans) +
         " spans.");
    count_failed(Failure::kRejected, rejected);
  }
  return std::nullopt;
}

// False: it stops.
bool SpanExporter::pause(std::chrono::milliseconds length) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, length, [this] { return stopping_; });
}

void SpanExporter::count_failed(Failure why, std::uint64_t spans) {
  failed_.at(static_cast<std::size_t>(why)) += spans;
}

void SpanExporter::report(Samples& to) const {
  to.counter("tilth_trace_spans_sent_total", "Spans that the collector has taken.", {},
             static_cast<double>(sent_));
  to.counter("tilth_trace_spans_dropped_total", "Spans that found no room among those that wait.",
             {}, static_cast<double>(dropped_));
  for (std::size_t i = 0; i < kFailures; ++i) {
    to.counter("tilth_trace_spans_failed_total", "Spans that the collector has not taken.",
               {{"reason", std::string(kReasons.at(i))}}, static_cast<double>(failed_.at(i)));
  }
  const std::lock_guard lock(mutex_);
  to.gauge("tilth_trace_spans_waiting", "Spans that are to be sent.", {},
           static_cast<double>(waiting_.size()));
}

}  // namespace tilth
