#include "app/node/clock_loop.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <latch>
#include <limits>
#include <memory>
#include <utility>

#include "api/platform/thread_name.h"
#include "projections/rows/lists/wake_list.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

using Steady = FailingStreams::Steady;

constexpr std::size_t kStreamsAtOnce = 64;
constexpr std::size_t kEntriesAtOnce = 10'000;  // of the list of wakes
constexpr std::chrono::milliseconds kBetweenVisits = 30s;
constexpr std::chrono::milliseconds kAfterAnError = 200ms;
constexpr std::chrono::milliseconds kLongest = 30s;

Error ending() {
  return {
      .code = ErrorCode::kUnavailable, .message = "The service ends.", .retry_after_seconds = 1};
}

}  // namespace

ClockLoop::~ClockLoop() { stop(); }

void ClockLoop::begin(std::chrono::milliseconds timeout) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  const auto done = std::make_shared<std::promise<void>>();
  run_due([done](const Status&) { done->set_value(); });
  done->get_future().wait_for(timeout);
}

void ClockLoop::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void ClockLoop::visit(std::size_t cell, const VisitRulesOfTemplate& visit) {
  const std::lock_guard lock(mutex_);
  visits_.push_back({cell, visit});
  woken_ = true;
  changed_.notify_all();
}

void ClockLoop::run_due(OnDone done) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      callers_.push_back(std::move(done));
      woken_ = true;
      changed_.notify_all();
      return;
    }
  }
  done(ending());
}

void ClockLoop::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::vector<OnDone> callers;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    callers = std::exchange(callers_, {});
  }
  complete(std::move(callers), ending());
}

void ClockLoop::run(const std::stop_token& stop) {
  name_thread("clock");
  std::string trouble;
  while (!stop.stop_requested()) {
    std::vector<OnDone> callers;
    {
      const std::lock_guard lock(mutex_);
      callers = std::exchange(callers_, {});
      woken_ = false;
    }
    const auto status = let_happen(!callers.empty(), stop);
    if (!status && status.error().message != trouble) {
      parts_.log.error("What is due cannot be carried out.", {{"reason", status.error().message}});
    }
    trouble = status ? "" : status.error().message;
    complete(std::move(callers), stop.stop_requested() ? Status(ending()) : status);
    sleep(stop, status ? until_next() : kAfterAnError, static_cast<bool>(status));
  }
}

// What cannot happen in one cell or on one stream keeps no other from what is due.
Status ClockLoop::let_happen(bool awaited, const std::stop_token& stop) {
  Status trouble = kDone;
  for (auto& visit : take_visits(awaited)) {
    if (stop.stop_requested()) break;
    if (const auto done = visit_all(visit); !done) {
      trouble = done;
      visit_again(std::move(visit));
    }
  }
  if (awaited) failing_->forget_idle();
  for (auto streams = due_streams(trouble); !streams.empty() && !stop.stop_requested();
       streams = due_streams(trouble)) {
    // Only a part of what is due per stream, so that no owner waits for all of another's.
    const auto late = carry_out(streams, {});
    failing_->add(late.streams, late.why, Steady::now());
    if (late.streams.size() == streams.size()) break;  // perhaps nothing can happen just now
  }
  if (!stop.stop_requested()) try_failing_again();
  const auto failing = failing_->why();
  return failing ? trouble : failing;
}

// Does not wait: that could take until a command's timeout.
void ClockLoop::try_failing_again() {
  for (const auto& stream : failing_->begin(kStreamsAtOnce, Steady::now())) {
    if (!parts_.registry.holds(stream)) {
      failing_->ended(stream, kDone, Steady::now());
      continue;
    }
    parts_.registry.carry_out(request_for(stream, {}), [failing = failing_, stream](
                                                           const Result<CommandResult>& outcome) {
      failing->ended(stream, outcome ? Status(kDone) : Status(outcome.error()), Steady::now());
    });
  }
}

std::vector<std::string> ClockLoop::due_streams(Status& trouble) const {
  std::vector<std::string> due;
  const auto failing = failing_->count();
  const auto read = for_each_cell([&](const RowReader& rows) {
    auto its = streams_to_wake(rows, parts_.clock.now(), kStreamsAtOnce + failing,
                               kEntriesAtOnce + failing);
    std::erase_if(its, [this](const auto& stream) { return failing_->contains(stream); });
    its.resize(std::min(its.size(), kStreamsAtOnce));
    due.insert(due.end(), std::make_move_iterator(its.begin()), std::make_move_iterator(its.end()));
  });
  if (!read) trouble = read;
  return due;
}

// The last error of a cell whose rows cannot be read.
Status ClockLoop::for_each_cell(const std::function<void(const RowReader&)>& visit) const {
  Status read = kDone;
  for (const auto cell : parts_.registry.held()) {
    try {
      visit(*parts_.registry.at(cell).projector().view({})->state);
    } catch (const UnreadableRows& rows) {
      parts_.registry.cannot_read(rows);
      read = Error{ErrorCode::kUnavailable, rows.what()};
    }
  }
  return read;
}

std::vector<ClockLoop::Visit> ClockLoop::take_visits(bool awaited) {
  const auto now = Steady::now();
  const std::lock_guard lock(mutex_);
  std::vector<Visit> taken, later;
  for (auto& visit : visits_) {
    auto& to = awaited || visit.again <= now ? taken : later;
    to.push_back(std::move(visit));
  }
  visits_ = std::move(later);
  return taken;
}

void ClockLoop::visit_again(Visit visit) {
  visit.again = Steady::now() + kBetweenVisits;
  const std::lock_guard lock(mutex_);
  visits_.push_back(std::move(visit));
}

// Every owner with rules is in the list of wakes. It is scanned whole: operators rarely change a
// template. What a visit could not reach is retried; one that a crash prevents is made up for at
// each rule's time.
Status ClockLoop::visit_all(Visit& visit) {
  if (!parts_.registry.holds(visit.cell)) return kDone;
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  constexpr Timestamp kEver{decltype(Timestamp::at)::max()};
  auto all = visit.left;
  try {
    const auto view = parts_.registry.at(visit.cell).projector().view({});
    if (!has_to_follow(Rows(*view->state, kReferenceStream, 0), visit.what)) return kDone;
    if (all.empty()) all = streams_to_wake(*view->state, kEver, kAll, kAll);
  } catch (const UnreadableRows& rows) {
    parts_.registry.cannot_read(rows);
    return Error{ErrorCode::kUnavailable, rows.what()};
  }
  Status trouble = kDone;
  std::vector<std::string> failed;
  auto next = all.begin();
  while (next != all.end()) {
    const auto size = std::min<std::ptrdiff_t>(all.end() - next, kStreamsAtOnce);
    const auto late = carry_out({next, next + size}, deciding(visit.what));
    next += size;
    failed.insert(failed.end(), late.streams.begin(), late.streams.end());
    if (!late.streams.empty()) trouble = late.why;
    if (std::cmp_equal(late.streams.size(), size)) break;  // perhaps nothing can happen just now
  }
  visit.left.assign(next, all.end());
  visit.left.insert(visit.left.end(), failed.begin(), failed.end());
  return trouble;
}

// Runs one command on each stream. Commands that a busy node does not complete in time are retried
// as long as others complete. Returns the streams that are left, and why.
ClockLoop::Late ClockLoop::carry_out(std::vector<std::string> streams, const Decide& decide) {
  while (!streams.empty()) {
    auto late = try_all(streams, decide);
    if (late.streams.size() == streams.size()) return late;
    streams = std::move(late.streams);
  }
  return {};
}

// Runs all at once; returns the streams that failed, and the last error.
ClockLoop::Late ClockLoop::try_all(const std::vector<std::string>& streams, const Decide& decide) {
  struct Round {
    explicit Round(std::size_t commands) : left(static_cast<std::ptrdiff_t>(commands)) {}
    std::latch left;
    std::mutex mutex;
    Late late;
  };
  const auto round = std::make_shared<Round>(streams.size());
  for (const auto& stream : streams) {
    parts_.registry.carry_out(request_for(stream, decide),
                              [round, stream](const Result<CommandResult>& outcome) {
                                if (!outcome) {
                                  const std::lock_guard lock(round->mutex);
                                  round->late.streams.push_back(stream);
                                  round->late.why = outcome.error();
                                }
                                round->left.count_down();
                              });
  }
  round->left.wait();
  return std::move(round->late);
}

CommandRequest ClockLoop::request_for(const std::string& stream, const Decide& decide) const {
  return {.stream = stream,
          .actor = std::string(kClockActor),
          .request_id = parts_.ids.uuid(parts_.clock.now()).text(),
          .decide = decide};
}

// The time until the next wake, with a maximum, since a wall clock may be set without notice.
std::chrono::milliseconds ClockLoop::until_next() const {
  auto until = kLongest;
  const auto read = for_each_cell([&](const RowReader& rows) {
    const auto next = next_wake(rows);
    if (next) until = std::min<std::chrono::milliseconds>(until, next->at - parts_.clock.now().at);
  });
  return read ? std::max(until, 0ms) : kAfterAnError;
}

void ClockLoop::sleep(const std::stop_token& stop, std::chrono::milliseconds timeout,
                      bool may_be_woken) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, timeout, [&] { return may_be_woken && woken_; });
}

void ClockLoop::complete(std::vector<OnDone> callers, const Status& status) {
  for (const auto& done : callers) done(status);
}

}  // namespace tilth
