// The history, exported and followed.

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "api/operator/commands.h"
#include "api/operator/event_stream.h"
#include "events/version_gate.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPage = 500;
constexpr auto kStillHere = 15s;  // an empty line, when there is nothing else to say
constexpr auto kLooksAgain = 1s;  // whether the client is still there

// Writes the events of one request, on a thread of its own: the client sets the pace.
class Export {
 public:
  Export(EventLog& log, const Clock& clock, EventFilter filter, std::unique_ptr<BodyStream> body)
      : log_(log), clock_(clock), filter_(std::move(filter)), body_(std::move(body)) {}

  void run() {
    for (int partition = 0; partition < log_.partitions() && more_; ++partition) {
      if (concerns(partition)) write_partition(partition);
    }
    if (follow() && more_) tail();
    if (!failed_) body_->end();  // else the connection is cut, so that the client can tell
  }

 private:
  bool follow() const { return filter_.follow.value_or(false); }

  bool concerns(int partition) const {
    if (filter_.owner && log_.partition_of(*filter_.owner) != partition) return false;
    return !filter_.partition || *filter_.partition == partition;
  }

  // What is there. The versions are read from the beginning, since they tell what counts.
  void write_partition(int partition) {
    const auto whole = end_of(partition);
    if (!whole) return fail();
    const auto end = std::min(*whole, filter_.to.value_or(INT64_MAX));
    auto& [gate, next] = read_.emplace_back();
    next = {partition, 0};
    if (end == 0) return;
    auto reader = log_.read({next});
    if (!reader) return fail();
    while (more_ && next.offset < end) {
      const auto page = (*reader)->next(kPage, std::chrono::milliseconds(kLooksAgain));
      if (!page) return fail();
      if (page->empty() && body_->closed()) more_ = false;
      std::string lines;
      for (const auto& logged : *page) {
        if (logged.position.offset >= end) {
          next.offset = end;
          break;
        }
        take(gate, logged, lines);
        next.offset = logged.position.offset + 1;
        if (!more_) break;
      }
      if (!lines.empty() && !body_->write(std::move(lines))) more_ = false;
    }
  }

  // What comes.
  void tail() {
    std::vector<Position> from;
    for (const auto& [gate, next] : read_) from.push_back(next);
    auto reader = log_.read(from);
    if (!reader) return fail();
    auto spoken = std::chrono::steady_clock::now();
    while (more_ && !body_->closed() && may_still_match()) {
      const auto page = (*reader)->next(kPage, std::chrono::milliseconds(kLooksAgain));
      if (!page) return fail();
      std::string lines;
      for (const auto& logged : *page) {
        if (!more_) break;
        const auto of = std::find_if(read_.begin(), read_.end(), [&](const auto& each) {
          return each.next.partition == logged.position.partition;
        });
        of->next = {logged.position.partition, logged.position.offset + 1};
        take(of->gate, logged, lines);
      }
      const auto now = std::chrono::steady_clock::now();
      if (lines.empty() && now - spoken >= kStillHere) lines = "\n";
      if (lines.empty()) continue;
      spoken = now;
      if (!body_->write(std::move(lines))) more_ = false;
    }
  }

  bool may_still_match() const {
    if (filter_.until && clock_.now() >= *filter_.until) return false;
    return !filter_.to || std::any_of(read_.begin(), read_.end(), [&](const auto& each) {
      return each.next.offset < *filter_.to;
    });
  }

  void take(VersionGate& gate, const LoggedRecord& logged, std::string& lines) {
    const bool accepted = gate.admit(logged.record);
    const auto offset = logged.position.offset;
    if (offset < filter_.from.value_or(0) || offset >= filter_.to.value_or(INT64_MAX)) return;
    if (!(accepted || filter_.with_rejected) || !filter_.wants(logged)) return;
    lines.append(event_line(logged, accepted));
    if (filter_.limit && ++written_ >= *filter_.limit) more_ = false;
  }

  Result<std::int64_t> end_of(int partition) {
    const auto told = std::make_shared<std::promise<Result<std::int64_t>>>();
    log_.end(partition, [told](const Result<std::int64_t>& end) { told->set_value(end); });
    return told->get_future().get();
  }

  void fail() { more_ = false, failed_ = true; }

  struct Read {
    VersionGate gate;
    Position next;
  };

  EventLog& log_;
  const Clock& clock_;
  const EventFilter filter_;
  const std::unique_ptr<BodyStream> body_;
  std::vector<Read> read_;
  std::int64_t written_ = 0;
  bool more_ = true;
  bool failed_ = false;
};

void events(const OperatorParts& parts, const OperatorCall& call) {
  Faults faults;
  auto filter = read_event_filter(call.query, faults);
  if (filter.partition && *filter.partition >= parts.log.partitions() && faults.values.empty()) {
    faults.values["partition"].emplace_back("must be a partition that there is");
  }
  if (const auto verdict = faults.verdict(); !verdict) {
    return call.exchange->answer(verdict.error());
  }
  if (call.exchange->request().method == "HEAD") {
    return call.exchange->answer(HttpResponse{200, {{"Content-Type", "application/x-ndjson"}}, {}});
  }
  run_aside(parts, call, [&parts, exchange = call.exchange, filter = std::move(filter)] {
    auto body = exchange->stream({200, {{"Content-Type", "application/x-ndjson"}}, {}});
    Export(parts.log, parts.clock, filter, std::move(body)).run();
  });
}

}  // namespace

std::vector<OperatorRoute> operator_event_routes() {
  return {{"GET", "/operator/v1/events", "The history as JSON lines", false, events}};
}

}  // namespace tilth
