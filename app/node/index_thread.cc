#include "app/node/index_thread.h"

#include <chrono>
#include <string>
#include <utility>

#include "api/platform/thread_name.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kLooks{250};

}  // namespace

IndexThread::IndexThread(StreamIndex& index, LogLines& log, std::function<void()> on_unreadable)
    : index_(index),
      log_(log),
      on_unreadable_(std::move(on_unreadable)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

IndexThread::~IndexThread() = default;

void IndexThread::run(const std::stop_token& stop) {
  name_thread("history index");
  std::string trouble;
  while (!stop.stop_requested()) {
    const auto read = index_.follow();
    if (read && *read) continue;
    const auto now = read ? std::string() : read.error().message;
    if (now != trouble) {
      trouble = now;
      if (trouble.empty()) {
        log_.info("The index of the history continues.");
      } else {
        log_.error("The index of the history has stopped.", {{"reason", trouble}});
        if (index_.unreadable()) on_unreadable_();
      }
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, kLooks, [] { return false; });
  }
}

}  // namespace tilth
