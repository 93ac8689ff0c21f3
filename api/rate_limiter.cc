#include "api/rate_limiter.h"

#include <algorithm>
#include <chrono>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Millis = SlidingWindow::Millis;

constexpr Millis kUserWindow = 1h;
constexpr Millis kAddressWindow = 1min;
constexpr std::size_t kSubjectsBeforeDropping = 8'192;  // in a shard

RateVerdict allowed(SlidingWindow& window, std::uint64_t limit, Millis length, Timestamp now) {
  const auto used = window.count(now, length);
  const auto reset = used > 0 ? window.oldest_leaves(length) : Timestamp{now.at + length};
  return {true, limit, limit > used ? limit - used : 0, reset};
}

RateVerdict refused(const SlidingWindow& window, std::uint64_t limit, Millis length,
                    Timestamp now) {
  const auto passes = window.has_room(limit, length);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(passes.at - now.at).count();
  return {false, limit, 0, passes, std::max<std::int64_t>(seconds, 1)};
}

}  // namespace

Error rate_refusal(const RateVerdict& verdict) {
  return {.code = ErrorCode::kRateLimited,
          .message = "Too many requests; X-RateLimit-Reset says when the next one may come.",
          .retry_after_seconds = verdict.retry_after_seconds};
}

std::uint64_t SlidingWindow::count(Timestamp now, Millis length) {
  while (!instants_.empty() && instants_.front().at.at + length <= now.at) {
    total_ -= instants_.front().count;
    instants_.pop_front();
  }
  return total_;
}

void SlidingWindow::add(Timestamp now, std::uint32_t count) {
  total_ += count;
  // A clock that was set back does not let anything leave earlier.
  if (!instants_.empty() && instants_.back().at >= now) {
    instants_.back().count += count;
  } else {
    instants_.push_back({now, count});
  }
}

Timestamp SlidingWindow::oldest_leaves(Millis length) const {
  return {instants_.front().at.at + length};
}

Timestamp SlidingWindow::has_room(std::uint64_t limit, Millis length) const {
  std::uint64_t left = total_;
  for (const auto& [at, count] : instants_) {
    left -= count;
    if (left < limit) return {at.at + length};
  }
  return instants_.empty() ? Timestamp{} : Timestamp{instants_.back().at.at + length};
}

std::vector<std::pair<Timestamp, std::uint32_t>> SlidingWindow::since(Timestamp since) const {
  std::vector<std::pair<Timestamp, std::uint32_t>> found;
  for (auto each = instants_.rbegin(); each != instants_.rend() && each->at >= since; ++each) {
    found.emplace_back(each->at, each->count);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

RateLimiter::Shard& RateLimiter::shard_of(const std::string& subject) {
  return shards_[std::hash<std::string>{}(subject) % shards_.size()];
}
const RateLimiter::Shard& RateLimiter::shard_of(const std::string& subject) const {
  return shards_[std::hash<std::string>{}(subject) % shards_.size()];
}

RateVerdict RateLimiter::count_user(const std::string& user_id, std::uint64_t limit,
                                    const std::string& key_id,
                                    std::optional<std::uint64_t> key_limit, Timestamp now) {
  auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  drop_idle(shard, now);
  auto& user = shard.subjects[user_id];
  auto& key = user.keys[key_id];
  const bool user_full = user.window.count(now, kUserWindow) >= limit;
  const bool key_full = key_limit && key.window.count(now, kUserWindow) >= *key_limit;
  if (user_full && key_full) {
    const auto by_user = refused(user.window, limit, kUserWindow, now);
    const auto by_key = refused(key.window, *key_limit, kUserWindow, now);
    return by_key.reset > by_user.reset ? by_key : by_user;
  }
  if (user_full) return refused(user.window, limit, kUserWindow, now);
  if (key_full) return refused(key.window, *key_limit, kUserWindow, now);
  user.window.add(now);
  ++key.use.count;
  key.use.last = now;
  if (!user.changed_since) user.changed_since = now;
  if (!key.changed_since) key.changed_since = now;
  const auto by_user = allowed(user.window, limit, kUserWindow, now);
  if (!key_limit) return by_user;
  key.window.add(now);
  const auto by_key = allowed(key.window, *key_limit, kUserWindow, now);
  return by_key.remaining < by_user.remaining ? by_key : by_user;
}

RateVerdict RateLimiter::count_address(const std::string& address, std::uint64_t limit,
                                       Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  drop_idle(shard, now);
  auto& subject = shard.subjects[address];
  if (subject.window.count(now, kAddressWindow) >= limit) {
    return refused(subject.window, limit, kAddressWindow, now);
  }
  subject.window.add(now);
  if (!subject.changed_since) subject.changed_since = now;
  return allowed(subject.window, limit, kAddressWindow, now);
}

RateVerdict RateLimiter::look_at_address(const std::string& address, std::uint64_t limit,
                                         Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.subjects.find(address);
  SlidingWindow none;
  auto& window = found == shard.subjects.end() ? none : found->second.window;
  return allowed(window, limit, kAddressWindow, now);
}

// So that strangers from ever new addresses do not fill the memory.
void RateLimiter::drop_idle(Shard& shard, Timestamp now) {
  if (shard.subjects.size() < kSubjectsBeforeDropping) return;
  for (auto each = shard.subjects.begin(); each != shard.subjects.end();) {
    auto& subject = each->second;
    const bool user = !subject.keys.empty();
    const bool idle =
        !user && !subject.changed_since && subject.window.count(now, kAddressWindow) == 0;
    each = idle ? shard.subjects.erase(each) : std::next(each);
  }
}

RateLimiter::KeyUse RateLimiter::use_of(const std::string& user_id,
                                        const std::string& key_id) const {
  const auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  const auto user = shard.subjects.find(user_id);
  if (user == shard.subjects.end()) return {};
  const auto key = user->second.keys.find(key_id);
  return key == user->second.keys.end() ? KeyUse{} : key->second.use;
}

std::vector<RateLimiter::Change> RateLimiter::take_changes(Timestamp now) {
  std::vector<Change> changes;
  for (auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [name, subject] : shard.subjects) {
      if (subject.changed_since) {
        changes.push_back({name, subject.window.since(*subject.changed_since), {}, {}});
        subject.changed_since.reset();
      }
      for (auto& [key_id, key] : subject.keys) {
        if (!key.changed_since) continue;
        changes.push_back({key_id, key.window.since(*key.changed_since), key.use, name});
        key.changed_since.reset();
      }
    }
    drop_idle(shard, now);
  }
  return changes;
}

void RateLimiter::restore(const Change& change) {
  const auto& owner = change.user_id.empty() ? change.subject : change.user_id;
  auto& shard = shard_of(owner);
  const std::lock_guard lock(shard.mutex);
  auto& subject = shard.subjects[owner];
  auto& window = change.user_id.empty() ? subject.window : subject.keys[change.subject].window;
  for (const auto& [at, count] : change.counted) window.add(at, count);
  if (change.use && !change.user_id.empty()) subject.keys[change.subject].use = *change.use;
}

}  // namespace tilth
