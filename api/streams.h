// Threads for answers that take as long as their client does.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace tilth {

// Each answer has a thread of its own; there are not many at once. Threads: any. Destroying it
// waits for those that run: close their clients first.
class StreamThreads {
 public:
  StreamThreads() = default;
  ~StreamThreads();

  // Whether one more may run; then run() must follow.
  bool begin(int at_most);
  void run(std::function<void()> work);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int running_ = 0;
};

}  // namespace tilth
