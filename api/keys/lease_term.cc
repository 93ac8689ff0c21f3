#include "api/keys/lease_term.h"

#include <algorithm>

#include "projections/access/user.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kTimeout{2'000}, kReportTimeout{5'000};
constexpr std::chrono::milliseconds kBeforeLookingAgain{10};

template <class Waiting, class Is>
Waiting take_if(Waiting& waiting, Is is) {
  Waiting taken;
  std::erase_if(waiting, [&](auto& each) {
    const bool take = is(each.first);
    if (take) taken.push_back(std::move(each));
    return take;
  });
  return taken;
}

template <class Waiting>
void complete(const Waiting& waiting, bool what) {
  for (const auto& [time, done] : waiting) done(what);
}

}  // namespace

LeaseTerm::LeaseTerm(EventLog& log, CommandLoop& access, Others others, Times times,
                     std::function<Instant()> now)
    : log_(log),
      partition_(log.partition_of(kAccessStream)),
      others_(std::move(others)),
      times_(times),
      now_(std::move(now)),
      renew_at_(now_()),
      access_(&access) {}

bool LeaseTerm::holds() const { return now_().count() < until_ && others_.is_current(); }

void LeaseTerm::renew(Instant asked) {
  const auto end = Instant(asked + times_.length).count();
  auto known = until_.load();
  while (known < end && !until_.compare_exchange_weak(known, end)) {
  }
}

void LeaseTerm::when_present(Done done) {
  const auto asked = now_();
  log_.end(partition_, [self = shared_from_this(), asked,
                        done = std::move(done)](const Result<std::int64_t>& end) {
    if (!end) return done(false);
    auto read = [self, asked, done](bool reached) {
      if (reached) self->renew(asked);
      done(reached);
    };
    std::unique_lock lock(self->mutex_);
    if (self->access_ != nullptr && *end > 0) {
      return self->access_->when_reached({}, {self->partition_, *end - 1}, kTimeout,
                                         std::move(read));
    }
    const bool alive = self->access_ != nullptr;
    lock.unlock();
    alive ? read(true) : done(false);
  });
}

void LeaseTerm::when_it_holds(Done done) {
  when_present([self = shared_from_this(), done = std::move(done)](bool present) {
    if (!present || self->others_.is_current()) return done(present);
    {
      const std::lock_guard lock(self->mutex_);
      if (self->access_ != nullptr) {
        self->until_current_.emplace_back(self->now_() + kTimeout, done);
        self->happened();
        return;
      }
    }
    done(false);
  });
}

void LeaseTerm::when_all_know(Done done) {
  std::unique_lock lock(mutex_);
  if (access_ != nullptr) {
    until_known_.emplace_back(now_(), std::move(done));
    return happened();
  }
  lock.unlock();
  done(false);
}

LeaseTerm::Instant LeaseTerm::turn() {
  std::unique_lock lock(mutex_);
  const auto now = now_();
  for (auto& [since, done] : take_if(until_known_, others_.know)) {
    until_unused_.emplace_back(now + times_.length + times_.pace_margin, std::move(done));
  }
  const auto is_over = [&](Instant until) { return until <= now; };
  const auto current = until_current_.empty() || !others_.is_current()
                           ? Waiting()
                           : std::exchange(until_current_, {});
  const auto late = take_if(until_current_, is_over);
  const auto untold =
      take_if(until_known_, [&](Instant since) { return is_over(since + kReportTimeout); });
  const auto known = take_if(until_unused_, is_over);
  const bool renews = renew_at_ <= now;
  if (renews) renew_at_ = now + times_.renew_every;
  const bool looks_again = !until_current_.empty() || !until_known_.empty();
  auto next = looks_again ? now + kBeforeLookingAgain : renew_at_;
  for (const auto& [until, done] : until_unused_) next = std::min(next, until);
  lock.unlock();
  complete(current, true);
  complete(known, true);
  complete(late, false);
  complete(untold, false);
  if (renews && !renewing_.exchange(true)) {
    when_present([self = shared_from_this()](bool) { self->renewing_ = false; });
  }
  return next;
}

void LeaseTerm::wait(Instant until) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, until - now_(), [this] { return std::exchange(has_changed_, false); });
}

void LeaseTerm::close() {
  std::unique_lock lock(mutex_);
  access_ = nullptr;
  happened();
  const auto gone = {std::exchange(until_current_, {}), std::exchange(until_known_, {}),
                     std::exchange(until_unused_, {})};
  lock.unlock();
  for (const auto& waiting : gone) complete(waiting, false);
}

bool LeaseTerm::is_closed() const {
  const std::lock_guard lock(mutex_);
  return access_ == nullptr;
}

void LeaseTerm::happened() {
  has_changed_ = true;
  changed_.notify_one();
}

}  // namespace tilth
