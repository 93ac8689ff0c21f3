#include "api/platform/fair_executor.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kOwnersToKeep = 256;
// So that work too short to measure does not come for nothing.
constexpr std::chrono::microseconds kLeastCost{1};

Error too_much(const char* message, int retry_after_seconds) {
  return {.code = ErrorCode::kUnavailable,
          .message = message,
          .retry_after_seconds = retry_after_seconds};
}

}  // namespace

class FairExecutor::Task final : public WorkToken, public std::enable_shared_from_this<Task> {
 public:
  Task(FairExecutor& executor, Work asked, Owner& its_owner)
      : work(std::move(asked)),
        owner(its_owner),
        executor_(executor),
        deadline_(executor.environment_.now() + work.timeout) {}

  bool go_on() override {
    if (end_ != kNotEnded) return false;
    const auto now = executor_.environment_.now();
    if (now.time_since_epoch().count() > executor_.last_) return end(EarlyEnd::kStopping), false;
    if (work.abandoned && work.abandoned()) return end(EarlyEnd::kAbandoned), false;
    if (!work.continues && now > deadline_) return end(EarlyEnd::kTimeout), false;
    // Work that uses several threads gives way on its first one only.
    if (std::this_thread::get_id() != thread) return true;
    if (executor_.environment_.cpu() - slice_began < executor_.limits_.slice) return true;
    executor_.yield(*this);
    return go_on();
  }

  Error error() const override {
    if (end_ == static_cast<int>(EarlyEnd::kStopping)) {
      return too_much("The service is stopping.", 5);
    }
    return too_much("This took too long, together with other expensive requests.", 5);
  }

  // Only the first reason counts.
  void end(EarlyEnd why) {
    int expected = kNotEnded;
    if (end_.compare_exchange_strong(expected, static_cast<int>(why))) {
      executor_.count_end(work.kind, why);
    }
  }

  Work work;
  Owner& owner;
  bool has_begun = false;
  bool resumes = false;
  std::condition_variable resumed;
  std::thread::id thread;
  Nanoseconds slice_began{0};  // on that thread's CPU clock

 private:
  static constexpr int kNotEnded = -1;

  FairExecutor& executor_;
  const Steady::time_point deadline_;
  std::atomic<int> end_ = kNotEnded;
};

void FairExecutor::Counts::add(const Counts& more) {
  waiting += more.waiting;
  running += more.running;
  completed += more.completed;
  refused += more.refused;
  for (std::size_t i = 0; i < ended_early.size(); ++i) ended_early.at(i) += more.ended_early.at(i);
  cpu += more.cpu;
}

FairExecutor::Nanoseconds FairExecutor::thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Nanoseconds(used.tv_nsec);
}

FairExecutor::FairExecutor(Limits limits) : FairExecutor(limits, Environment{}) {}

FairExecutor::FairExecutor(Limits limits, Environment environment)
    : limits_(limits), environment_(std::move(environment)), most_begun_(limits.begun) {
  threads_.emplace_back([this] { run(); });
}

FairExecutor::~FairExecutor() { stop(); }

Status FairExecutor::post(Work work) {
  const std::lock_guard lock(mutex_);
  const auto kind = work.kind;
  const auto refuse = [&](const char* message, int retry_after_seconds) {
    ++of(kind).refused;
    return too_much(message, retry_after_seconds);
  };
  if (closed_) return refuse("The service is stopping.", 5);
  const auto found = owners_.find(work.owner);
  const auto waiting_of_owner = found == owners_.end() ? 0 : found->second.waiting;
  if (!work.continues) {
    if (waiting_of_owner >= limits_.waiting_per_owner) {
      return refuse("Too many of your expensive requests are under way.", 2);
    }
    if (waiting_ >= limits_.waiting) {
      return refuse("Too many expensive requests are under way.", 5);
    }
  }
  auto& owner = found == owners_.end() ? owners_[work.owner] : found->second;
  if (owner.idle()) owner.cost = std::max(owner.cost, cost_now_);
  owner.ready.push_back(std::make_shared<Task>(*this, std::move(work), owner));
  ++owner.waiting, ++waiting_, ++of(kind).waiting;
  grant_slots();
  return kDone;
}

void FairExecutor::close(std::chrono::milliseconds at_most) {
  std::vector<TaskPtr> dropped;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    const auto last = (environment_.now() + at_most).time_since_epoch().count();
    last_ = std::min(last_.load(), last);
    for (auto& [name, owner] : owners_) {
      for (auto& task : owner.ready) {
        if (!task->has_begun) dropped.push_back(task);
      }
      std::erase_if(owner.ready, [](const auto& task) { return !task->has_begun; });
    }
    for (const auto& task : dropped) {
      --task->owner.waiting, --waiting_, --of(task->work.kind).waiting;
    }
  }
  for (const auto& task : dropped) {
    task->end(EarlyEnd::kStopping);
    task->work.run(*task);
    task->work = {};
  }
}

void FairExecutor::stop() {
  close(std::chrono::milliseconds(-1));
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    grant_slots();
  }
  changed_.notify_all();
  for (auto& thread : threads) thread.join();
}

std::array<FairExecutor::Counts, FairExecutor::kKinds> FairExecutor::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void FairExecutor::run() {
  environment_.on_thread();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !granted_.empty(); });
    if (granted_.empty()) return;
    const auto task = std::move(granted_.front());
    granted_.pop_front();
    lock.unlock();
    run(task);
    lock.lock();
    leave_slot(*task);
    --task->owner.begun, --begun_;
    auto& counts = of(task->work.kind);
    --counts.running, ++counts.completed;
    most_begun_ = limits_.begun;
    forget_idle_owners();
    grant_slots();
  }
}

void FairExecutor::run(const TaskPtr& task) {
  task->thread = std::this_thread::get_id();
  task->slice_began = environment_.cpu();
  task->work.run(*task);
  task->work.run = nullptr;  // may free much, which counts as well
  task->work.abandoned = nullptr;
}

// While there is a free slot and work for it.
void FairExecutor::grant_slots() {
  while (stopping_ || computing_ < limits_.slots) {
    const auto task = take_next();
    if (!task) return;
    if (!task->has_begun && !begin(task)) continue;
    ++task->owner.computing, ++computing_;
    task->owner.served = ++served_;
    cost_now_ = std::max(cost_now_, task->owner.cost);
    if (std::exchange(task->has_begun, true)) {
      task->resumes = true;
      task->resumed.notify_one();
    } else {
      granted_.push_back(task);
      changed_.notify_one();
    }
  }
}

// Null: nothing may run at the moment.
FairExecutor::TaskPtr FairExecutor::take_next() {
  Owner* first = nullptr;
  for (auto& [name, owner] : owners_) {
    if (next_of(owner) == kNone) continue;
    if (first == nullptr ||
        std::pair(owner.cost, owner.served) < std::pair(first->cost, first->served)) {
      first = &owner;
    }
  }
  if (first == nullptr) return nullptr;
  const auto at = first->ready.begin() + static_cast<std::ptrdiff_t>(next_of(*first));
  auto task = std::move(*at);
  first->ready.erase(at);
  return task;
}

// Which of the owner's ready work may run.
std::size_t FairExecutor::next_of(const Owner& owner) const {
  if (!stopping_ && owner.computing >= limits_.slots_per_owner) return kNone;
  const bool may_begin = begun_ < most_begun_ && owner.begun < limits_.begun_per_owner;
  for (std::size_t i = 0; i < owner.ready.size(); ++i) {
    if (may_begin || owner.ready[i]->has_begun) return i;
  }
  return kNone;
}

// Whether there is a thread for it; if not, it waits for one.
bool FairExecutor::begin(const TaskPtr& task) {
  if (static_cast<int>(threads_.size()) <= begun_) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      most_begun_ = static_cast<int>(threads_.size());
      task->owner.ready.push_front(task);
      return false;
    }
  }
  ++task->owner.begun, ++begun_;
  --task->owner.waiting, --waiting_;
  auto& counts = of(task->work.kind);
  --counts.waiting, ++counts.running;
  return true;
}

// On the task's thread: charges what it used since it got its slot.
void FairExecutor::leave_slot(Task& task) {
  const auto now = environment_.cpu();
  const auto used = now - std::exchange(task.slice_began, now);
  task.owner.cost += std::max<Nanoseconds>(used, kLeastCost);
  of(task.work.kind).cpu += used;
  --task.owner.computing, --computing_;
}

void FairExecutor::yield(Task& task) {
  std::unique_lock lock(mutex_);
  leave_slot(task);
  task.resumes = false;
  task.owner.ready.push_back(task.shared_from_this());
  grant_slots();
  task.resumed.wait(lock, [&] { return task.resumes; });
  task.slice_began = environment_.cpu();
}

void FairExecutor::count_end(WorkKind kind, EarlyEnd end) {
  const std::lock_guard lock(mutex_);
  ++of(kind).ended_early.at(static_cast<std::size_t>(end));
}

void FairExecutor::forget_idle_owners() {
  const bool all = begun_ == 0 && waiting_ == 0;  // no owner is left whom a debt would concern
  if (!all && owners_.size() < kOwnersToKeep) return;
  std::erase_if(owners_, [&](const auto& each) {
    return each.second.idle() && (all || each.second.cost <= cost_now_);
  });
}

}  // namespace tilth
