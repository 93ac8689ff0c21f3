#include "api/streams.h"

#include <thread>

namespace tilth {

StreamThreads::~StreamThreads() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [this] { return running_ == 0; });
}

bool StreamThreads::begin(int at_most) {
  const std::lock_guard lock(mutex_);
  if (running_ >= at_most) return false;
  ++running_;
  return true;
}

void StreamThreads::run(std::function<void()> work) {
  std::thread([this, work = std::move(work)]() mutable {
    work();
    work = nullptr;
    const std::lock_guard lock(mutex_);
    --running_;
    none_.notify_all();
  }).detach();
}

}  // namespace tilth
