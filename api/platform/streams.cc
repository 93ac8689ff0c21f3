#include "api/platform/streams.h"

#include <system_error>
#include <thread>
#include <utility>

#include "api/platform/thread_name.h"

namespace tilth {

StreamThreads::~StreamThreads() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [this] { return running_ == 0 && held_ == 0; });
}

bool StreamThreads::run(int at_most, std::function<void()> work) {
  if (!begin(at_most)) return false;
  try {
    std::thread([this, work = std::move(work)]() mutable {
      name_thread("stream");
      work();
      work = nullptr;
      end();
    }).detach();
    return true;
  } catch (const std::system_error&) {
    end();
    return false;
  }
}

std::shared_ptr<void> StreamThreads::hold() {
  const std::lock_guard lock(mutex_);
  ++held_;
  return {this, [this](void*) {
            const std::lock_guard releasing(mutex_);
            --held_;
            none_.notify_all();
          }};
}

bool StreamThreads::begin(int at_most) {
  const std::lock_guard lock(mutex_);
  if (running_ >= at_most) return false;
  ++running_;
  return true;
}

void StreamThreads::end() {
  const std::lock_guard lock(mutex_);
  --running_;
  none_.notify_all();
}

}  // namespace tilth
