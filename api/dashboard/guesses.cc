#include "api/dashboard/guesses.h"

#include <algorithm>

namespace tilth {

std::optional<std::int64_t> Guesses::closed_for(const std::string& subject, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find(subject);
  if (found == failures_.end() || found->second.count(now, kWindow) < kMost) return std::nullopt;
  const auto passes = found->second.has_room(kMost, kWindow);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(passes.at - now.at).count();
  return std::max<std::int64_t>(seconds, 1);
}

void Guesses::failed(const std::string& subject, Timestamp now) {
  const std::lock_guard lock(mutex_);
  if (failures_.size() >= crowd_) drop_idle(now);
  failures_[subject].add(now);
}

void Guesses::drop_idle(Timestamp now) {
  for (auto each = failures_.begin(); each != failures_.end();) {
    each = each->second.count(now, kWindow) == 0 ? failures_.erase(each) : std::next(each);
  }
  crowd_ = std::max<std::size_t>(4'096, failures_.size() * 2);
}

}  // namespace tilth
