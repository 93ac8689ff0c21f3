#include "api/usage/login_throttle.h"

#include <algorithm>

namespace tilth {

// Ignores failures further ahead than the window's length: another clock counted them.
Status LoginThrottle::restore(Timestamp now) {
  const std::lock_guard change(changing_);
  const auto read = store_.read([&](const std::string& digest, const auto& failures) {
    const std::lock_guard lock(mutex_);
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
  const std::lock_guard change(changing_);  // also while storing: the last write is complete
  if (failures_.size() >= crowd_) drop_idle(now);
  LoginThrottleStore::Failures all;
  {
    const std::lock_guard lock(mutex_);
    auto& window = failures_[digest];
    window.add(now);
    window.count(now, kWindow);  // drops what has left the window
    all = window.since({});
  }
  static_cast<void>(store_.keep(digest, all));
}

// What the store cannot forget now is tried again at the next drop.
void LoginThrottle::drop_idle(Timestamp now) {
  std::vector<std::string> idle;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [digest, window] : failures_) {
      if (window.count(now, kWindow) == 0) idle.push_back(digest);
    }
  }
  std::erase_if(idle, [this](const auto& digest) { return !store_.forget(digest); });
  const std::lock_guard lock(mutex_);
  for (const auto& digest : idle) failures_.erase(digest);
  crowd_ = std::max<std::size_t>(4'096, failures_.size() * 2);
}

}  // namespace tilth
