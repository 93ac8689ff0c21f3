// Lets one thread do the work of several, in an order that a seed repeats.

#pragma once

#include <functional>

namespace tilth::testing {

// Operation: while it lives, pthread_cond_wait() on the thread that made it does some of the work
// that is waited for, and returns, as it may without a reason. One at a time on a thread.
class InsteadOfWaiting {
 public:
  // `work` is called without the mutex of the wait. False: there is none, so the thread waits.
  explicit InsteadOfWaiting(std::function<bool()> work);
  InsteadOfWaiting(const InsteadOfWaiting&) = delete;
  InsteadOfWaiting& operator=(const InsteadOfWaiting&) = delete;
  ~InsteadOfWaiting();

  // Of the calls: whether this thread has one, and if so, what its work returns.
  static bool is_here();
  static bool works();

 private:
  const std::function<bool()> work_;
};

}  // namespace tilth::testing
