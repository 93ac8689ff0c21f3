#include "app/node/loop_thread.h"

#include "api/platform/thread_name.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kTimeout{250}, kAfterAnError{50};

}  // namespace

LoopThread::LoopThread(std::string name, CommandLoop& loop, LogLines& log)
    : name_(std::move(name)),
      loop_(loop),
      log_(log),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

LoopThread::~LoopThread() { stop(); }

void LoopThread::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  loop_.projector().wake();
  thread_.join();
}

void LoopThread::run(const std::stop_token& stop) {
  name_thread(name_);
  take_short_slices();
  std::string trouble;
  while (!stop.stop_requested()) {
    const auto turned = loop_.turn(kTimeout);
    if (turned) {
      if (!trouble.empty()) log_.info("The projection continues.", {{"projection", name_}});
      trouble.clear();
      continue;
    }
    if (turned.error().message != trouble) {
      trouble = turned.error().message;
      log_.error("The projection has stopped.", {{"projection", name_}, {"reason", trouble}});
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, kAfterAnError, [] { return false; });
  }
  loop_.shutdown();
  if (const auto kept = loop_.projector().keep_place(); !kept) {
    log_.error("The place of the projection in the log was not stored.",
               {{"projection", name_}, {"reason", kept.error().message}});
  }
}

}  // namespace tilth
