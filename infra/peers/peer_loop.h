// Serves connections between nodes on one thread: their sockets, what other threads ask of them,
// and the time.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "infra/system/descriptor.h"

namespace tilth {

// Not Pistache's reactor, on which the HTTP server runs: it takes one thread, edges instead of
// levels, so that any thread may write to a socket, and tasks. The thread is its own, or one of
// that server.
//
// Threads: post() from any, at any time; start(), embed() and stop() from the owner's; the rest
// from the loop's.
class PeerLoop {
 public:
  using Task = std::function<void()>;
  static constexpr int kTickMs = 100;

  class Watcher {
   public:
    virtual ~Watcher() = default;
    // Read until nothing is left: the same bytes are not reported again. `ended`: the other side
    // sends nothing more, or the connection failed; read up to that.
    virtual void on_ready(bool readable, bool writable, bool ended) = 0;
  };

  PeerLoop();
  ~PeerLoop() { stop(); }
  PeerLoop(const PeerLoop&) = delete;
  PeerLoop& operator=(const PeerLoop&) = delete;

  // Runs on a thread of its own. `tick` runs every kTickMs; `ending` once, as the last of all but
  // the tasks that were posted before.
  void start(const std::string& name, Task tick, Task ending);
  // The same on the thread that calls run_ready() when descriptor() is readable.
  void embed(Task tick, Task ending);
  int descriptor() const { return epoll_.get(); }
  void run_ready();
  // An embedded one: once its thread has ended, or on that thread. What is left to do then, the
  // calling thread does.
  void stop();

  // Runs `task` on the loop's thread, never within the call. False: the loop has stopped, and the
  // task was dropped.
  bool post(Task task);

  bool runs_here() const { return thread_id_ == std::this_thread::get_id(); }

  // Returns a number for unwatch(). The watcher is kept until then.
  std::uint64_t watch(int fd, std::shared_ptr<Watcher> watcher);
  void unwatch(std::uint64_t number, int fd);

 private:
  void begin(Task tick, Task ending);
  void run();
  void run_once(bool may_wait);
  bool take_events(int at_most_ms);
  void run_tasks();
  bool has_tasks();
  void end();

  const Descriptor epoll_;
  const Descriptor event_;
  const Descriptor timer_;
  Task tick_;
  Task ending_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Watcher>> watchers_;
  std::uint64_t last_number_ = 0;
  bool runs_ = false;  // used by the loop's thread
  bool embedded_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<Task> tasks_;
  bool stopping_ = false;
  bool closed_ = false;

  std::atomic<std::thread::id> thread_id_ = {};
  std::thread thread_;
};

}  // namespace tilth
