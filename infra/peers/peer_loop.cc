#include "infra/peers/peer_loop.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "infra/system/thread_name.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

constexpr std::uint64_t kEvent = 0;  // what watch() never returns
constexpr int kMostAtOnce = 256;

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

// Only to pace the ticks; deadlines are told by the clock of those who watch them.
std::int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

PeerLoop::PeerLoop()
    : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      event_(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")) {
  epoll_event event{EPOLLIN, {.u64 = kEvent}};
  checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event_.get(), &event), "epoll_ctl");
}

void PeerLoop::start(const std::string& name, Task tick, Task ending) {
  tick_ = std::move(tick);
  ending_ = std::move(ending);
  thread_ = std::thread([this, name] {
    name_thread(name);
    take_short_slices();  // clients wait for what it reads
    thread_id_ = std::this_thread::get_id();
    run();
  });
}

void PeerLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!thread_.joinable()) closed_ = true;
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
  if (!runs_here()) ::eventfd_write(event_.get(), 1);  // on its own thread they run next anyway
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
    wait();
    run_tasks();
    if (now_ms() < next_tick_ms_) continue;
    next_tick_ms_ = now_ms() + kTickMs;
    tick_();
  }
  run_tasks();
  ending_();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  run_tasks();
  watchers_.clear();
}

void PeerLoop::wait() {
  bool tasks_wait = false;
  {
    const std::lock_guard lock(mutex_);
    tasks_wait = !tasks_.empty();
  }
  const auto until_tick = static_cast<int>(next_tick_ms_ - now_ms());
  const int ticking = until_tick < 0 ? 0 : until_tick > kTickMs ? kTickMs : until_tick;
  const int at_most_ms = tasks_wait ? 0 : ticking;
  std::array<epoll_event, kMostAtOnce> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMostAtOnce, at_most_ms);
  for (int at = 0; at < count; ++at) {
    const auto& event = events.at(static_cast<std::size_t>(at));
    if (event.data.u64 == kEvent) {
      eventfd_t ignored = 0;
      ::eventfd_read(event_.get(), &ignored);
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
