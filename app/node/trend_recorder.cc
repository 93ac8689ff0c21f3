#include "app/node/trend_recorder.h"

#include "api/platform/thread_name.h"

namespace tilth {

TrendRecorder::TrendRecorder(Trends& trends)
    : trends_(trends), thread_([this](const std::stop_token& stop) { run(stop); }) {}

TrendRecorder::~TrendRecorder() {
  thread_.request_stop();
  thread_.join();
}

void TrendRecorder::run(const std::stop_token& stop) {
  name_thread("trends");
  while (!stop.stop_requested()) {
    trends_.sample();
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, Trends::kEvery, [] { return false; });
  }
}

}  // namespace tilth
