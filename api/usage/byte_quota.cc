#include "api/usage/byte_quota.h"

#include <algorithm>

namespace tilth {
namespace {

constexpr std::chrono::hours kWindow{1};

}  // namespace

void ByteQuota::add(const std::string& owner, std::size_t bytes, Timestamp at, Timestamp now) {
  at = std::min(at, now);
  const auto minute = std::chrono::floor<std::chrono::minutes>(at.at);
  const std::lock_guard lock(mutex_);
  if (windows_.size() >= crowd_) drop_idle(at);
  auto& window = windows_[owner];
  drop_old(window, at);
  window.total += bytes;
  // An event from before the newest minute, by another node's clock, counts as that minute's.
  if (!window.minutes.empty() && window.minutes.back().begins >= minute) {
    window.minutes.back().bytes += bytes;
  } else {
    window.minutes.push_back({minute, bytes});
  }
}

Status ByteQuota::check(const std::string& owner, std::optional<std::int64_t> limit,
                        Timestamp now) {
  if (!limit) return kDone;
  const auto most = static_cast<std::uint64_t>(*limit);
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(owner);
  if (found == windows_.end()) return kDone;
  auto& window = found->second;
  drop_old(window, now);
  if (window.total < most || window.minutes.empty()) return kDone;
  ++refused_;
  auto left = window.total;
  auto last = window.minutes.front().begins;  // the last minute that has to leave
  for (const auto& [begins, bytes] : window.minutes) {
    last = begins;
    left -= bytes;
    if (left < most) break;
  }
  const auto passes = last + std::chrono::minutes(1) + kWindow;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(passes - now.at).count();
  return Error{.code = ErrorCode::kRateLimited,
               .message = "Your changes of the last hour have reached the plan's number of bytes.",
               .retry_after_seconds = std::max<std::int64_t>(seconds, 1)};
}

std::uint64_t ByteQuota::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

// A minute leaves an hour after its end.
void ByteQuota::drop_old(Window& window, Timestamp now) {
  while (!window.minutes.empty()) {
    const auto& oldest = window.minutes.front();
    if (now.at < oldest.begins + std::chrono::minutes(1) + kWindow) return;
    window.total -= oldest.bytes;
    window.minutes.pop_front();
  }
}

void ByteQuota::drop_idle(Timestamp now) {
  for (auto each = windows_.begin(); each != windows_.end();) {
    drop_old(each->second, now);
    each = each->second.minutes.empty() ? windows_.erase(each) : std::next(each);
  }
  crowd_ = std::max<std::size_t>(4'096, windows_.size() * 2);
}

}  // namespace tilth
