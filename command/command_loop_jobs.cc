// How commands come to a command loop, and how they leave it.

#include <exception>
#include <utility>

#include "command/command_loop.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

std::string key_of(const CommandRequest& request) {
  return request.stream + ' ' + request.idempotency->key;
}

Error unavailable(const std::string& trouble = {}) {
  return {.code = ErrorCode::kUnavailable,
          .message = (trouble.empty() ? "The log did not answer in time; w" : trouble + " W") +
                     "hether this was done is not known.",
          .retry_after_seconds = 1};
}

Error not_begun(const std::string& why) {
  return {.code = ErrorCode::kUnavailable,
          .message = why + "; this one was not begun.",
          .retry_after_seconds = 1};
}

}  // namespace

void CommandLoop::carry_out(CommandRequest request, OnDone done) {
  if (waiting_ >= limits_.waiting) return done(not_begun("Too many changes wait"));
  ++waiting_;
  const auto until = Steady::now() + limits_.patience;
  Job job{std::move(request), std::move(done), until};
  if (begin_at_once(job)) return;
  inbox_->post([this, later = std::make_shared<Job>(std::move(job))] { begin(std::move(*later)); });
}

// Not before what came earlier.
bool CommandLoop::begin_at_once(Job& job) {
  if (gathers_ || !inbox_->empty()) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn) return false;
  const auto stream = job.request.stream;
  try {
    begin(std::move(job));
    ready_.erase(stream);
    attempt(stream);
  } catch (...) {  // as if its thread had met it
    inbox_->post([met = std::current_exception()] { std::rethrow_exception(met); });
  }
  return true;
}

void CommandLoop::begin(Job job) {
  const auto stream = job.request.stream;
  if (job.request.idempotency && !keys_.insert(key_of(job.request)).second) {
    --waiting_;
    return job.done(Error{.code = ErrorCode::kConflict,
                          .message = "The first request with this Idempotency-Key still runs.",
                          .retry_after_seconds = 1});
  }
  job.number = ++jobs_begun_;
  jobs_[stream].push_back(std::move(job));
  ready_.insert(stream);
}

CommandLoop::Job* CommandLoop::front(const std::string& stream, std::uint64_t number) {
  const auto found = jobs_.find(stream);
  const bool there = found != jobs_.end() && found->second.front().number == number;
  return there ? &found->second.front() : nullptr;
}

void CommandLoop::answer(const std::string& stream, const Result<Outcome>& outcome) {
  const auto found = jobs_.find(stream);
  auto job = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) {
    jobs_.erase(found);
  } else {
    ready_.insert(stream);
  }
  if (job.request.idempotency) keys_.erase(key_of(job.request));
  --waiting_;
  job.done(outcome);
}

// A few times a second. What is given up may still happen: its record counts or it does not, and
// the stream's next command is decided on what is read.
void CommandLoop::expire() {
  const auto now = Steady::now();
  for (auto& [when, record] : std::exchange(again_, {})) {
    if (when > now) {
      again_.emplace_back(when, std::move(record));
    } else {
      append(record, now + limits_.patience);
    }
  }
  if (now < next_expiry_) return;
  next_expiry_ = now + 200ms;
  std::vector<std::string> late;
  for (const auto& [stream, jobs] : jobs_) {
    // It is done, but for what goes with it.
    const bool goes_on = projector_.sweeping(stream) && !projector_.faulted();
    if (jobs.front().until <= now && !goes_on) late.push_back(stream);
  }
  for (const auto& stream : late) {
    verdicts_.forget(stream);
    const bool held_up = projector_.progress().held_up;
    end(stream, unavailable(held_up ? "The records do not follow the log just now."
                                    : jobs_.at(stream).front().trouble));
    for (auto jobs = jobs_.find(stream); jobs != jobs_.end() && jobs->second.front().until <= now;
         jobs = jobs_.find(stream)) {
      answer(stream, not_begun("Another change was not done in time"));
    }
  }
}

// Before its time; what it did is told all the same, if that is known.
void CommandLoop::end(const std::string& stream, Error why) {
  auto& held = jobs_.at(stream).front().held;
  answer(stream, held ? Result<Outcome>(std::move(*held)) : std::move(why));
}

void CommandLoop::give_up() {
  const std::lock_guard turn(turn_);
  for (const auto& piece : inbox_->take()) piece();
  while (!jobs_.empty()) end(jobs_.begin()->first, unavailable());
  for (auto& waiter : std::exchange(waiters_, {})) waiter.done(false);
  for (auto& aging : std::exchange(aging_, {})) aging.done(false);
}

}  // namespace tilth
