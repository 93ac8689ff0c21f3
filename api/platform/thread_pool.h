// A few threads for what keeps a thread busy or waiting, so that no client of a server's own waits
// with it: passwords, and what others are asked over the net.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilth {

// Threads: any. Destroying it drops what has not begun and waits for what has.
class ThreadPool {
 public:
  ThreadPool(std::size_t threads, std::size_t most_waiting);
  ~ThreadPool();

  // False, and nothing is done: too much waits already.
  bool post(std::function<void()> work);

 private:
  void run();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tilth
