// What other threads ask the thread of webhooks to do.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace tilth {

// Threads: any. Callbacks share it, since they may run after the thread has ended.
class TaskInbox {
 public:
  using Task = std::function<void()>;

  // False: it is closed.
  bool post(Task task);
  // Unless so many tasks wait already.
  enum class Posted : std::uint8_t { kTaken, kFull, kClosed };
  Posted post_if_room(Task task, std::size_t most);

  std::vector<Task> take();

  // Drops what waits, and all that comes.
  void close();

 private:
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Task> tasks_;
};

}  // namespace tilth
