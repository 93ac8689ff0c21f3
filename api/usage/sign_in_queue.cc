#include "api/usage/sign_in_queue.h"

#include <algorithm>
#include <utility>

#include "api/http/address.h"

namespace tilth {
namespace {

// What shares places. A known browser is one of its account, wherever it is.
std::vector<std::string> subjects_of(const SignInQueue::Asker& asker) {
  if (asker.known) return {"known " + asker.email};
  std::vector<std::string> subjects{"email " + asker.email,
                                    "address " + counted_address(asker.address)};
  if (const auto address = Address::parse(asker.address)) {
    subjects.push_back("network " + address->neighbours().text());
  }
  return subjects;
}

}  // namespace

bool SignInQueue::submit(const Asker& asker, Work work) {
  Waiting waiting{subjects_of(asker), asker.known, std::move(work)};
  const std::lock_guard lock(mutex_);
  waiting.turn = turns_++;
  if (!has_place(waiting)) {
    ++refused_;
    return false;
  }
  auto& queue = waiting.known ? known_ : others_;
  for (const auto& subject : waiting.subjects) ++taken_[subject];
  ++(waiting.known ? taken_by_known_ : taken_by_others_);
  queue.push_back(std::move(waiting));
  if (post_(asker, [this](bool may_begin) { run_next(may_begin); })) return true;
  const auto last = std::move(queue.back());
  queue.pop_back();
  leave(last);
  ++refused_;
  return false;
}

std::uint64_t SignInQueue::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

// One with n places gets another while all that are taken are fewer than 1 / (n + 1) of all.
bool SignInQueue::has_place(const Waiting& waiting) const {
  const auto places = waiting.known ? places_.known : places_.others;
  const auto taken = waiting.known ? taken_by_known_ : taken_by_others_;
  return std::all_of(waiting.subjects.begin(), waiting.subjects.end(), [&](const auto& subject) {
    const auto found = taken_.find(subject);
    const auto own = found == taken_.end() ? 0 : found->second;
    return taken * (own + 1) < places;
  });
}

std::deque<SignInQueue::Waiting>& SignInQueue::next_to_run() {
  return known_.empty() ? others_ : known_;
}

std::deque<SignInQueue::Waiting>& SignInQueue::oldest() {
  if (known_.empty() || others_.empty()) return next_to_run();
  return known_.front().turn < others_.front().turn ? known_ : others_;
}

// What is posted has no sign-in of its own. If its time is over, so is that of the one that has
// waited longest, but not that of a known browser which has just come.
void SignInQueue::run_next(bool may_begin) {
  Waiting next;
  {
    const std::lock_guard lock(mutex_);
    auto& queue = may_begin ? next_to_run() : oldest();
    if (queue.empty()) return;
    next = std::move(queue.front());
    queue.pop_front();
  }
  next.work(may_begin);
  next.work = {};
  const std::lock_guard lock(mutex_);
  leave(next);
}

void SignInQueue::leave(const Waiting& waiting) {
  for (const auto& subject : waiting.subjects) {
    const auto found = taken_.find(subject);
    if (--found->second == 0) taken_.erase(found);
  }
  --(waiting.known ? taken_by_known_ : taken_by_others_);
}

}  // namespace tilth
