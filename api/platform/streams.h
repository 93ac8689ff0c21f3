// Threads for answers that take as long as their client does.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace tilth {

// Each answer has a thread of its own; there are not many at once. Threads: any. Destroying it
// waits for those that run: close their clients first.
class StreamThreads {
 public:
  StreamThreads() = default;
  ~StreamThreads();

  // Whether `work` runs: not while `at_most` do already, nor where no thread can be had.
  bool run(int at_most, std::function<void()> work);

  // For an answer that comes on another's thread: destroying waits until what this returns is gone.
  std::shared_ptr<void> hold();

 private:
  bool begin(int at_most);
  void end();

  std::mutex mutex_;
  std::condition_variable none_;
  int running_ = 0;
  int held_ = 0;
};

}  // namespace tilth
