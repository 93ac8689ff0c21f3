// How many refusals strangers get at once.

#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace tilth {

// Operation: a bucket of tokens. Strangers who come with a new connection for each request cannot
// be slowed down by reading their connections later, so a refusal beyond the budget is sent later.
//
// Threads: one.
class RefusalBudget {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RefusalBudget(double each_second) : each_second_(each_second), tokens_(each_second) {}

  // False: this refusal should wait.
  bool take(Clock::time_point now) {
    const std::chrono::duration<double> passed = now - std::exchange(filled_, now);
    tokens_ = std::min(each_second_, tokens_ + passed.count() * each_second_);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  const double each_second_;
  double tokens_;
  Clock::time_point filled_{};
};

}  // namespace tilth
