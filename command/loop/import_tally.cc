#include "command/loop/import_tally.h"

namespace tilth {

bool ImportTally::begin() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_ < at_once_; });
  if (failed_) return false;
  ++under_way_;
  return true;
}

void ImportTally::end(const Result<CommandResult>& outcome) {
  const std::lock_guard lock(mutex_);
  --under_way_;
  if (!outcome) failed_ = outcome.error();
  if (outcome && outcome->event) counted_ += count_(*outcome->event);
  changed_.notify_one();
}

Result<std::int64_t> ImportTally::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_ == 0; });
  if (failed_) return *failed_;
  return counted_;
}

}  // namespace tilth
