#include "api/usage/login_throttle.h"

#include <algorithm>

namespace tilth {

// Ignores failures further ahead than the window's length: another clock counted them.
Status LoginThrottle::restore(Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto read = store_.read([&](const std::string& digest, const auto& failures) {
    auto& window = failures_[digest];
    for (const auto& [at, count] : failures) {
      if (at.at <= now.at + kWindow) window.restore(at, count);
    }
  });
  if (!read) return read.error();
  drop_idle(now);
  return kDone;
}

std::optional<std::int64_t> LoginThrottle::closed_for(const std::string& subject, Timestamp now) {
  const auto digest = digest_.of(subject);
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find(digest);
  if (found == failures_.end() || found->second.count(now, kWindow) < kMost) return std::nullopt;
  const auto passes = found->second.has_room(kMost, kWindow);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(passes.at - now.at).count();
  return std::max<std::int64_t>(seconds, 1);
}

void LoginThrottle::failed(const std::string& subject, Timestamp now) {
  const auto digest = digest_.of(subject);
  const std::lock_guard lock(mutex_);  // held while storing, so that the last write is complete
  if (failures_.size() >= crowd_) drop_idle(now);
  auto& window = failures_[digest];
  window.add(now);
  window.count(now, kWindow);  // drops what has left the window
  static_cast<void>(store_.keep(digest, window.since({})));
}

// What the store cannot forget now is tried again at the next drop.
void LoginThrottle::drop_idle(Timestamp now) {
  for (auto each = failures_.begin(); each != failures_.end();) {
    const bool idle = each->second.count(now, kWindow) == 0;
    each = idle && store_.forget(each->first) ? failures_.erase(each) : std::next(each);
  }
  crowd_ = std::max<std::size_t>(4'096, failures_.size() * 2);
}

}  // namespace tilth
