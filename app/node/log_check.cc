#include "app/node/log_check.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "api/platform/thread_name.h"
#include "infra/embedded/log_check.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kAfterTheStart = 1min, kBetweenChecks = 24h, kAfterAFailure = 10min;
constexpr int kIdlePerBusy = 3;

}  // namespace

LogCheck::LogCheck(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

LogCheckStanding LogCheck::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

void LogCheck::begin() {
  {
    const std::lock_guard lock(mutex_);
    urgent_ = true;
    if (!standing_.running) standing_.checked = standing_.total = 0;
    standing_.running = true;
  }
  changed_.notify_all();
}

void LogCheck::report(Samples& to) const {
  const auto standing = this->standing();
  to.gauge("tilth_log_damaged", "1 if the last check of the event log found damage, else 0.", {},
           standing.damage ? 1 : 0);
  to.gauge("tilth_log_check_records", "Records that the running or the last check has read.", {},
           static_cast<double>(standing.checked));
  using Seconds = std::chrono::duration<double>;
  const auto finished = standing.finished_at.value_or(Timestamp{});
  to.gauge("tilth_log_check_timestamp_seconds",
           "When a check of the event log last came to a result; 0 if none has since the start.",
           {}, Seconds(finished.at.time_since_epoch()).count());
}

void LogCheck::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void LogCheck::run(const std::stop_token& stop) {
  name_thread("log check");
  lower_thread_priority();
  std::chrono::seconds pause = kAfterTheStart;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, pause, [this] { return urgent_; });
      if (stop.stop_requested()) return;
      standing_.running = true;
      standing_.checked = standing_.total = 0;
    }
    check(stop);
    if (stop.stop_requested()) return;
    pause = standing().failure ? kAfterAFailure : kBetweenChecks;
  }
}

void LogCheck::check(const std::stop_token& stop) {
  bool fetches = false;
  {
    const std::lock_guard lock(mutex_);
    fetches = urgent_;
  }
  std::error_code ignored;
  std::filesystem::remove_all(parts_.aside, ignored);  // a kill may have left it
  Result<std::int64_t> records = std::int64_t{0};
  if (const auto copied = parts_.copy_log(parts_.aside); !copied) {
    records = copied.error();
  } else {
    page_began_ = std::chrono::steady_clock::now();
    records = check_log(
        parts_.aside, {.places = parts_.archives, .fetches = fetches},
        [&](std::int64_t checked, std::int64_t total) { return go_on(checked, total, stop); });
  }
  std::filesystem::remove_all(parts_.aside, ignored);
  parts_.look_at_archive();  // the check had an archive of its own
  if (!stop.stop_requested()) conclude(records, fetches);
}

bool LogCheck::go_on(std::int64_t checked, std::int64_t total, const std::stop_token& stop) {
  const auto busy = std::chrono::steady_clock::now() - page_began_;
  std::unique_lock lock(mutex_);
  standing_.checked = checked;
  standing_.total = total;
  changed_.wait_for(lock, stop, busy * kIdlePerBusy, [this] { return urgent_; });
  page_began_ = std::chrono::steady_clock::now();
  return !stop.stop_requested();
}

void LogCheck::conclude(const Result<std::int64_t>& records, bool fetches) {
  if (records && !fetches && parts_.archives.cache != nullptr) {
    // An operator who has asked meanwhile wants all of it.
    const std::lock_guard lock(mutex_);
    if (urgent_) return;
  }
  const bool unknown = !records && records.error().code != ErrorCode::kDamaged;
  if (unknown) {
    parts_.log.error("The event log cannot be checked.", {{"reason", records.error().message}});
  } else if (!records) {
    parts_.log.error("The event log is damaged.", {{"reason", records.error().message}});
  } else {
    parts_.log.info("The event log was checked, and is sound.", {{"records", *records}});
  }
  const std::lock_guard lock(mutex_);
  urgent_ = false;
  standing_.running = false;
  standing_.failure.reset();
  if (unknown) {
    standing_.failure = records.error().message;
    return;
  }
  standing_.finished_at = parts_.clock.now();
  standing_.damage.reset();
  if (!records) standing_.damage = records.error().message;
}

}  // namespace tilth
