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

  // False: this refusal should wait.
  bool take(Clock::time_point now) {
    const std::chrono::duration<double> passed = now - std::exchange(filled_, now);
    tokens_ = std::min(kMost, tokens_ + passed.count() * kEachSecond);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  static constexpr double kEachSecond = 50;
  static constexpr double kMost = 50;

  double tokens_ = kMost;
  Clock::time_point filled_{};
};

}  // namespace tilth
