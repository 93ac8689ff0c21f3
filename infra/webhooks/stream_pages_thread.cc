#include "infra/webhooks/stream_pages_thread.h"

namespace tilth {

StreamPagesThread::StreamPagesThread(EventLog& log, StreamIndex& index)
    : log_(log), index_(index), thread_([this](const std::stop_token& stop) { run(stop); }) {}

StreamPagesThread::~StreamPagesThread() {
  thread_.request_stop();
  changed_.notify_all();
}

void StreamPagesThread::read(Question question, OnRead done) {
  const std::lock_guard lock(mutex_);
  questions_.emplace_back(std::move(question), std::move(done));
  changed_.notify_all();
}

void StreamPagesThread::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return !questions_.empty(); })) return;
    auto [question, done] = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    done(read_page(log_, index_, question));
  }
}

}  // namespace tilth
