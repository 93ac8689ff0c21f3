#include "infra/peers/peer_loop.h"

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "api/platform/thread_name.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

// What watch() never returns.
constexpr std::uint64_t kEvent = 0;
constexpr std::uint64_t kTimer = 1;
constexpr int kMostAtOnce = 256;

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

void watch_own(const Descriptor& epoll, const Descriptor& fd, std::uint64_t number) {
  epoll_event event{EPOLLIN, {.u64 = number}};
  checked(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd.get(), &event), "epoll_ctl");
}

}  // namespace

PeerLoop::PeerLoop()
    : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      event_(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      timer_(
          checked(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create")),
      last_number_(kTimer) {
  watch_own(epoll_, event_, kEvent);
  watch_own(epoll_, timer_, kTimer);
}

void PeerLoop::begin(Task tick, Task ending) {
  tick_ = std::move(tick);
  ending_ = std::move(ending);
  const timespec each{0, kTickMs * 1'000'000L};
  const itimerspec ticks{each, each};
  ::timerfd_settime(timer_.get(), 0, &ticks, nullptr);
}

void PeerLoop::start(const std::string& name, Task tick, Task ending) {
  begin(std::move(tick), std::move(ending));
  thread_ = std::thread([this, name] {
    name_thread(name);
    take_short_slices();  // clients wait for what it reads
    thread_id_ = std::this_thread::get_id();
    run();
  });
}

void PeerLoop::embed(Task tick, Task ending) {
  embedded_ = true;
  begin(std::move(tick), std::move(ending));
  ::eventfd_write(event_.get(), 1);  // so that its thread is known soon
}

void PeerLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    stopping_ = true;
    if (!thread_.joinable() && !embedded_) closed_ = true;
  }
  if (embedded_) {
    thread_id_ = std::this_thread::get_id();
    return end();
  }
  if (!thread_.joinable()) return;
  ::eventfd_write(event_.get(), 1);
  thread_.join();
}

bool PeerLoop::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    tasks_.push_back(std::move(task));
    if (tasks_.size() > 1) return true;
  }
  // Its own thread looks for tasks before it waits.
  if (!runs_here() || !runs_) ::eventfd_write(event_.get(), 1);
  return true;
}

std::uint64_t PeerLoop::watch(int fd, std::shared_ptr<Watcher> watcher) {
  const auto number = ++last_number_;
  watchers_.emplace(number, std::move(watcher));
  epoll_event event{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.u64 = number}};
  checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  return number;
}

void PeerLoop::unwatch(std::uint64_t number, int fd) {
  if (watchers_.erase(number) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void PeerLoop::run() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) break;
    }
    run_once(true);
  }
  end();
}

void PeerLoop::run_ready() {
  thread_id_ = std::this_thread::get_id();
  run_once(false);
  if (has_tasks()) ::eventfd_write(event_.get(), 1);
}

// A tick comes last, since it closes what seems to be silent: its bytes may have waited as long.
// What is posted meanwhile runs in the next call, so that none takes long.
void PeerLoop::run_once(bool may_wait) {
  constexpr int kNoLimit = -1;
  runs_ = true;
  run_tasks();
  if (take_events(may_wait && !has_tasks() ? kNoLimit : 0)) tick_();
  runs_ = false;
}

void PeerLoop::end() {
  run_tasks();
  ending_();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  run_tasks();
  watchers_.clear();
}

// Returns whether it is time for a tick.
bool PeerLoop::take_events(int at_most_ms) {
  bool ticks = false;
  std::array<epoll_event, kMostAtOnce> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMostAtOnce, at_most_ms);
  for (int at = 0; at < count; ++at) {
    const auto& event = events.at(static_cast<std::size_t>(at));
    if (event.data.u64 == kEvent) {
      eventfd_t ignored = 0;
      ::eventfd_read(event_.get(), &ignored);
      continue;
    }
    if (event.data.u64 == kTimer) {
      std::uint64_t expirations = 0;
      ticks = ::read(timer_.get(), &expirations, sizeof expirations) > 0;
      continue;
    }
    const auto found = watchers_.find(event.data.u64);
    if (found == watchers_.end()) continue;
    const auto watcher = found->second;  // may be unwatched within
    constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    const bool ended = (event.events & kEnds) != 0;
    watcher->on_ready((event.events & EPOLLIN) != 0 || ended, (event.events & EPOLLOUT) != 0,
                      ended);
  }
  return ticks;
}

bool PeerLoop::has_tasks() {
  const std::lock_guard lock(mutex_);
  return !tasks_.empty();
}

void PeerLoop::run_tasks() {
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks = std::exchange(tasks_, {});
  }
  for (auto& task : tasks) std::exchange(task, nullptr)();
}

}  // namespace tilth
