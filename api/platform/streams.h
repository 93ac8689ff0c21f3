// Threads for responses that take as long as their client does.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace tilth {

// Each response has a thread of its own; there are few at once. Threads: any. Destroying it waits
// for the running ones: close their clients first.
class StreamThreads {
 public:
  StreamThreads() = default;
  ~StreamThreads();

  // Whether `work` runs: false if `at_most` run already or no thread can be created.
  bool run(int at_most, std::function<void()> work);

  // For a response sent from another thread: the destructor waits until the result is released.
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
