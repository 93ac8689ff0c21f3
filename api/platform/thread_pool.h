// A few threads for work that is slow or blocks, so that it delays no other client of a server
// thread: passwords, and requests to other services.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilth {

// Threads: any. Destroying it drops what has not started and waits for the rest.
class ThreadPool {
 public:
  ThreadPool(std::size_t threads, std::size_t most_waiting);
  ~ThreadPool();

  // False, and nothing is done, if too much waits already.
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
