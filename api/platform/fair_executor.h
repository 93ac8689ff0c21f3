// A few threads for work that takes long, shared fairly between the owners that cause it.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/platform/executor.h"
#include "events/json/described.h"
#include "events/values/result.h"

namespace tilth {

// Why work ends before it is complete.
enum class EarlyEnd : std::uint8_t { kTimeout, kAbandoned, kStopping };

constexpr auto labels(EarlyEnd) { return named<EarlyEnd>("timeout", "client_gone", "stopping"); }

// Operation: an owner's cost is the CPU time that its work has used. Whenever a slot is free, the
// owner with the least cost goes first (fair queueing by virtual time: an owner that was idle
// begins at the cost of the one served last, so idleness earns nothing). Work that has used a slice
// gives its slot to an owner that has used less, and waits, with its thread, until it is first
// again. The work of one owner takes turns.
//
// Limits: of work that computes, that has begun, and that waits; of one owner and of all. A thread
// exists for each piece of work that has begun.
//
// Threads: any. Destroying it stops it.
class FairExecutor final : public Executor {
 public:
  using Steady = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::nanoseconds;

  struct Limits {
    int slots = 2;  // pieces of work that compute at the same time
    int slots_per_owner = 1;
    int begun = 16;
    int begun_per_owner = 2;
    std::size_t waiting = 512;
    std::size_t waiting_per_owner = 128;
    Nanoseconds slice = std::chrono::milliseconds(10);
  };

  // What tests replace.
  struct Environment {
    std::function<void()> on_thread = [] {};  // called first on each thread
    std::function<Steady::time_point()> now = Steady::now;
    std::function<Nanoseconds()> cpu = thread_cpu_time;  // of the calling thread
  };

  // What happened so far to work of one kind.
  struct Counts {
    std::uint64_t waiting = 0, running = 0;  // now; running includes work that gave way
    std::uint64_t completed = 0, refused = 0;
    std::array<std::uint64_t, 3> ended_early{};  // by EarlyEnd
    Nanoseconds cpu{0};

    void add(const Counts& more);
  };
  static constexpr std::size_t kKinds = labels(WorkKind{}).size();

  explicit FairExecutor(Limits limits);
  FairExecutor(Limits limits, Environment environment);
  ~FairExecutor() override;

  Status post(Work work) override;

  // Refuses further work. What has not begun ends within the call, what has begun must end
  // `at_most` later.
  void close(std::chrono::milliseconds at_most);

  // Closes it and waits for all work to end. Not from its own threads.
  void stop();

  std::array<Counts, kKinds> counts() const;

  static Nanoseconds thread_cpu_time();

 private:
  class Task;
  friend class Task;
  using TaskPtr = std::shared_ptr<Task>;

  struct Owner {
    Nanoseconds cost{0};
    std::uint64_t served = 0;   // when it last got a slot, counted
    std::deque<TaskPtr> ready;  // new work, and work that gave way
    int computing = 0, begun = 0;
    std::size_t waiting = 0;

    bool idle() const { return ready.empty() && begun == 0; }
  };

  void run();
  void run(const TaskPtr& task);
  void grant_slots();
  TaskPtr take_next();
  std::size_t next_of(const Owner& owner) const;
  bool begin(const TaskPtr& task);
  void leave_slot(Task& task);
  void yield(Task& task);
  void count_end(WorkKind kind, EarlyEnd end);
  void forget_idle_owners();
  Counts& of(WorkKind kind) { return counts_.at(static_cast<std::size_t>(kind)); }

  const Limits limits_;
  const Environment environment_;
  std::atomic<Steady::rep> last_ = std::numeric_limits<Steady::rep>::max();  // no work after it

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<std::string, Owner> owners_;
  Nanoseconds cost_now_{0};  // of the owner served last
  std::uint64_t served_ = 0;
  int computing_ = 0, begun_ = 0;
  int most_begun_;  // less than the limit while no thread can be created
  std::size_t waiting_ = 0;
  std::deque<TaskPtr> granted_;  // new work that has a slot
  std::array<Counts, kKinds> counts_{};
  bool closed_ = false;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tilth
