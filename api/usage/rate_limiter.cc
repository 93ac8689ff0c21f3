#include "api/usage/rate_limiter.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Millis = SlidingWindow::Millis;

constexpr Millis kUserWindow = 1h;
constexpr Millis kAddressWindow = 1min;

RateVerdict allowed(SlidingWindow& window, std::uint64_t limit, RatedBy by, Timestamp now) {
  const auto length = RateLimiter::window_of(by);
  const auto used = window.count(now, length);
  const auto reset = used > 0 ? window.oldest_leaves(length) : Timestamp{now.at + length};
  return {.limit = limit, .remaining = limit > used ? limit - used : 0, .reset = reset, .by = by};
}

RateVerdict refused(SlidingWindow& window, std::uint64_t limit, RatedBy by, Timestamp now,
                    std::uint64_t cost = 1) {
  const auto length = RateLimiter::window_of(by);
  const auto used = window.count(now, length);
  // If that much is never allowed there is no such instant; suggest a retry after one window.
  const auto passes =
      limit >= cost ? window.has_room(limit - (cost - 1), length) : Timestamp{now.at + length};
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(passes.at - now.at).count();
  return {.allowed = false,
          .limit = limit,
          .remaining = limit > used ? limit - used : 0,
          .reset = passes,
          .retry_after_seconds = std::max<std::int64_t>(seconds, 1),
          .may_fit = limit >= cost,
          .by = by};
}

}  // namespace

Timestamp passes_at(Timestamp now, std::int64_t retry_after_seconds) {
  using std::chrono::seconds;
  return {std::chrono::floor<seconds>(now.at + seconds(retry_after_seconds))};
}

Error rate_refusal(const RateVerdict& verdict) {
  return {.code = ErrorCode::kRateLimited,
          .message = verdict.may_fit
                         ? "Too many requests; X-RateLimit-Reset is when the next one may come."
                     : verdict.limit == 0
                         ? "The user's plan allows no requests, or the service no longer has it."
                         : "This batch counts as more requests than X-RateLimit-Limit, so it is "
                           "never allowed; send smaller ones.",
          .retry_after_seconds = verdict.retry_after_seconds};
}

std::uint64_t SlidingWindow::count(Timestamp now, Millis length) {
  while (!instants_.empty() && instants_.front().at.at + length <= now.at) {
    total_ -= instants_.front().count + instants_.front().of_others;
    instants_.pop_front();
  }
  return total_;
}

void SlidingWindow::add(Timestamp now, std::uint32_t count) { put({now, count, 0}); }

void SlidingWindow::take_back() {
  const auto last = std::find_if(instants_.rbegin(), instants_.rend(),
                                 [](const Instant& each) { return each.count > 0; });
  if (last == instants_.rend()) return;
  --last->count;
  --total_;
  if (last->count + last->of_others == 0) instants_.erase(std::next(last).base());
}

void SlidingWindow::add_of_others(Timestamp at, std::uint32_t count) { put({at, 0, count}); }

void SlidingWindow::put(Instant added) {
  total_ += added.count + added.of_others;
  // A clock that was set back, or another node's, must not let anything leave earlier.
  if (!instants_.empty() && instants_.back().at >= added.at) {
    instants_.back().count += added.count;
    instants_.back().of_others += added.of_others;
  } else {
    instants_.push_back(added);
  }
}

void SlidingWindow::restore(Timestamp at, std::uint32_t count) {
  auto place =
      std::lower_bound(instants_.begin(), instants_.end(), at,
                       [](const Instant& each, Timestamp wanted) { return each.at < wanted; });
  if (place == instants_.end() || place->at != at) place = instants_.insert(place, {at, 0});
  if (count <= place->count) return;
  total_ += count - place->count;
  place->count = count;
}

Timestamp SlidingWindow::oldest_leaves(Millis length) const {
  return {instants_.front().at.at + length};
}

Timestamp SlidingWindow::has_room(std::uint64_t limit, Millis length) const {
  std::uint64_t left = total_;
  for (const auto& [at, count, of_others] : instants_) {
    left -= count + of_others;
    if (left < limit) return {at.at + length};
  }
  return instants_.empty() ? Timestamp{} : Timestamp{instants_.back().at.at + length};
}

std::vector<std::pair<Timestamp, std::uint32_t>> SlidingWindow::since(Timestamp since) const {
  std::vector<std::pair<Timestamp, std::uint32_t>> found;
  for (auto each = instants_.rbegin(); each != instants_.rend() && each->at >= since; ++each) {
    if (each->count > 0) found.emplace_back(each->at, each->count);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

Millis RateLimiter::window_of(RatedBy by) {
  return by == RatedBy::kAddress ? kAddressWindow : kUserWindow;
}

void RateLimiter::Counted::change_at(Timestamp at) {
  changed_since = changed_since ? std::min(*changed_since, at) : at;
}

void RateLimiter::Shard::note_change(Users::value_type& user, Timestamp at) {
  if (!user.second.changed_since) changed_users.push_back(&user);
  user.second.change_at(at);
}
void RateLimiter::Shard::note_change(Addresses::value_type& address, Timestamp at) {
  if (!address.second.changed_since) changed_addresses.push_back(&address);
  address.second.change_at(at);
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
  auto& entry = *shard.users.try_emplace(user_id).first;
  auto& user = entry.second;
  auto& key = user.keys[key_id];
  const bool user_full = user.window.count(now, kUserWindow) >= limit;
  const bool key_full = key_limit && key.window.count(now, kUserWindow) >= *key_limit;
  // If both are used up, the one that has room later.
  const auto later = [](const RateVerdict& by_user, const RateVerdict& by_key) {
    return by_key.reset > by_user.reset ? by_key : by_user;
  };
  if (user_full && key_full) {
    return later(refused(user.window, limit, RatedBy::kUser, now),
                 refused(key.window, *key_limit, RatedBy::kKey, now));
  }
  if (user_full) return refused(user.window, limit, RatedBy::kUser, now);
  if (key_full) return refused(key.window, *key_limit, RatedBy::kKey, now);
  shard.note_change(entry, now);
  user.window.add(now);
  ++key.use.count;
  ++key.new_uses;
  key.use.last = key.use.last ? std::max(*key.use.last, now) : now;
  if (key_limit) key.window.add(now);
  key.change_at(now);
  const auto by_user = allowed(user.window, limit, RatedBy::kUser, now);
  if (!key_limit) return by_user;
  const auto by_key = allowed(key.window, *key_limit, RatedBy::kKey, now);
  if (by_user.remaining == 0 && by_key.remaining == 0) return later(by_user, by_key);
  return by_key.remaining < by_user.remaining ? by_key : by_user;
}

RateVerdict RateLimiter::count_further_of_user(const std::string& user_id, std::uint64_t limit,
                                               const std::string& key_id,
                                               std::optional<std::uint64_t> key_limit,
                                               Further further, Timestamp now) {
  auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  auto& entry = *shard.users.try_emplace(user_id).first;
  auto& user = entry.second;
  auto& key = user.keys[key_id];
  shard.note_change(entry, now);
  key.change_at(now);
  const auto fits = [&](SlidingWindow& window, std::uint64_t most) {
    return window.count(now, kUserWindow) + further.count <= most;
  };
  const bool user_fits = fits(user.window, limit);
  if (user_fits && (!key_limit || fits(key.window, *key_limit))) {
    user.window.add(now, further.count);
    if (key_limit) key.window.add(now, further.count);
  } else {
    if (further.first_is_here) user.window.take_back();
    if (further.first_is_here && key_limit) key.window.take_back();
    return user_fits ? refused(key.window, *key_limit, RatedBy::kKey, now, further.count + 1)
                     : refused(user.window, limit, RatedBy::kUser, now, further.count + 1);
  }
  const auto by_user = allowed(user.window, limit, RatedBy::kUser, now);
  if (!key_limit) return by_user;
  const auto by_key = allowed(key.window, *key_limit, RatedBy::kKey, now);
  return by_key.remaining < by_user.remaining ? by_key : by_user;
}

RateVerdict RateLimiter::count_further_of_address(const std::string& address, std::uint64_t limit,
                                                  Further further, Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  auto& entry = *shard.addresses.try_emplace(address).first;
  auto& counted = entry.second;
  shard.note_change(entry, now);
  if (counted.window.count(now, kAddressWindow) + further.count > limit) {
    if (further.first_is_here) counted.window.take_back();
    return refused(counted.window, limit, RatedBy::kAddress, now, further.count + 1);
  }
  counted.window.add(now, further.count);
  return allowed(counted.window, limit, RatedBy::kAddress, now);
}

void RateLimiter::take_back_of_user(const std::string& user_id, const std::string& key_id,
                                    Timestamp now) {
  auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  auto& entry = *shard.users.try_emplace(user_id).first;
  auto& user = entry.second;
  auto& key = user.keys[key_id];
  shard.note_change(entry, now);
  key.change_at(now);
  user.window.take_back();
  key.window.take_back();
}

void RateLimiter::take_back_of_address(const std::string& address, Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  auto& entry = *shard.addresses.try_emplace(address).first;
  shard.note_change(entry, now);
  entry.second.window.take_back();
}

bool RateLimiter::has_room_for_user(const std::string& user_id, std::uint64_t limit,
                                    const std::string& key_id,
                                    std::optional<std::uint64_t> key_limit, Timestamp now) {
  auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  const auto user = shard.users.find(user_id);
  if (user == shard.users.end()) return limit > 0 && key_limit != 0U;
  if (user->second.window.count(now, kUserWindow) >= limit) return false;
  const auto key = user->second.keys.find(key_id);
  if (!key_limit || key == user->second.keys.end()) return key_limit != 0U;
  return key->second.window.count(now, kUserWindow) < *key_limit;
}

RateVerdict RateLimiter::count_address(const std::string& address, std::uint64_t limit,
                                       Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  drop_idle(shard, now);
  auto& entry = *shard.addresses.try_emplace(address).first;
  auto& counted = entry.second;
  if (counted.window.count(now, kAddressWindow) >= limit) {
    return refused(counted.window, limit, RatedBy::kAddress, now);
  }
  shard.note_change(entry, now);
  counted.window.add(now);
  return allowed(counted.window, limit, RatedBy::kAddress, now);
}

RateVerdict RateLimiter::look_at_address(const std::string& address, std::uint64_t limit,
                                         Timestamp now) {
  auto& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.addresses.find(address);
  SlidingWindow none;
  auto& window = found == shard.addresses.end() ? none : found->second.window;
  return allowed(window, limit, RatedBy::kAddress, now);
}

// Keeps clients with ever-changing addresses from filling the memory. The next scan runs at twice
// the remaining size, so that one request in thousands pays for it.
void RateLimiter::drop_idle(Shard& shard, Timestamp now) {
  if (shard.addresses.size() < shard.crowd) return;
  for (auto each = shard.addresses.begin(); each != shard.addresses.end();) {
    auto& counted = each->second;
    const bool idle = !counted.changed_since && counted.window.count(now, kAddressWindow) == 0;
    each = idle ? shard.addresses.erase(each) : std::next(each);
  }
  shard.crowd = std::max(kCrowd, 2 * shard.addresses.size());
}

RateLimiter::KeyUse RateLimiter::use_of(const std::string& user_id,
                                        const std::string& key_id) const {
  const auto& shard = shard_of(user_id);
  const std::lock_guard lock(shard.mutex);
  const auto user = shard.users.find(user_id);
  if (user == shard.users.end()) return {};
  const auto key = user->second.keys.find(key_id);
  if (key == user->second.keys.end()) return {};
  auto all = key->second.use;
  for (const auto& [_, others] : key->second.of_others) {
    all.count += others.use.count;
    all.last = std::max(all.last, others.use.last);
  }
  return all;
}

std::vector<RateLimiter::Change> RateLimiter::take_changes(Timestamp now) {
  std::vector<Change> changes;
  for (auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    take_from(shard, changes);
    drop_idle(shard, now);
  }
  return changes;
}

void RateLimiter::take_from(Shard& shard, std::vector<Change>& changes) {
  const auto take = [](Counted& counted) {
    return counted.window.since(*std::exchange(counted.changed_since, std::nullopt));
  };
  for (auto* entry : std::exchange(shard.changed_users, {})) {
    auto& [user_id, user] = *entry;
    if (user.changed_since) changes.push_back({RatedBy::kUser, user_id, take(user)});
    for (auto& [key_id, key] : user.keys) {
      if (!key.changed_since) continue;
      changes.push_back(
          {RatedBy::kKey, key_id, take(key), key.use, user_id, std::exchange(key.new_uses, 0)});
    }
  }
  for (auto* entry : std::exchange(shard.changed_addresses, {})) {
    auto& [address, counted] = *entry;
    if (counted.changed_since) changes.push_back({RatedBy::kAddress, address, take(counted)});
  }
}

void RateLimiter::not_kept(const std::vector<Change>& changes) {
  for (const auto& change : changes) {
    const auto& owner = change.by == RatedBy::kKey ? change.user_id : change.subject;
    auto& shard = shard_of(owner);
    const std::lock_guard lock(shard.mutex);
    const bool counted = !change.counted.empty();
    if (change.by == RatedBy::kAddress) {
      const auto address = shard.addresses.find(owner);  // may have been dropped as idle
      if (address == shard.addresses.end() || !counted) continue;
      address->second.change_at(change.counted.front().first);
      shard.changed_addresses.push_back(&*address);
      continue;
    }
    auto& entry = *shard.users.try_emplace(owner).first;
    Counted* of = &entry.second;
    if (change.by == RatedBy::kKey) of = &entry.second.keys[change.subject];
    if (counted) of->change_at(change.counted.front().first);
    if (change.use && change.use->last) of->change_at(*change.use->last);
    shard.changed_users.push_back(&entry);
  }
}

void RateLimiter::add_of_others(const Change& change) {
  const auto& owner = change.by == RatedBy::kKey ? change.user_id : change.subject;
  auto& shard = shard_of(owner);
  const std::lock_guard lock(shard.mutex);
  auto& window = change.by == RatedBy::kAddress ? shard.addresses[owner].window
                 : change.by == RatedBy::kUser  ? shard.users[owner].window
                                                : shard.users[owner].keys[change.subject].window;
  for (const auto& [at, count] : change.counted) window.add_of_others(at, count);
}

bool RateLimiter::apply(const UseElsewhere& other) {
  auto& shard = shard_of(other.user_id);
  const std::lock_guard lock(shard.mutex);
  auto& [use, is_total] = shard.users[other.user_id].keys[other.key_id].of_others[other.node];
  const auto before = use;
  use.last = std::max(use.last, other.use.last);
  if (other.is_total) {
    use.count = std::max(use.count, other.use.count);
    return !std::exchange(is_total, true) || use != before;
  }
  if (!is_total) use.count += other.use.count;
  return false;
}

void RateLimiter::restore(const Change& change) {
  const auto& owner = change.by == RatedBy::kKey ? change.user_id : change.subject;
  auto& shard = shard_of(owner);
  const std::lock_guard lock(shard.mutex);
  const auto add = [&change](SlidingWindow& window) {
    for (const auto& [at, count] : change.counted) window.restore(at, count);
  };
  switch (change.by) {
    case RatedBy::kUser:
      return add(shard.users[owner].window);
    case RatedBy::kAddress:
      return add(shard.addresses[owner].window);
    case RatedBy::kKey:
      auto& key = shard.users[owner].keys[change.subject];
      add(key.window);
      if (change.use) key.use = *change.use;
  }
}

}  // namespace tilth
