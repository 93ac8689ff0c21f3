#include "api/usage/sessions.h"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace tilth {

namespace {

constexpr std::size_t kTokenBytes = 32;
// In force, of one user: more than anyone has browsers, and little memory.
constexpr std::size_t kMostOfUser = 100;
constexpr std::chrono::minutes kDroppedEvery{10};

// A part of the digest: every node derives the same, and no token follows from it.
std::string id_of(const std::string& digest) {
  constexpr std::size_t kDigits = 24;
  return std::string(Sessions::kIdPrefix) + digest.substr(0, kDigits);
}

}  // namespace

Status Sessions::restore() {
  {
    const std::unique_lock lock(mutex_);
    const auto read = store_.read([this](const std::string& digest, const Session& session) {
      by_digest_.insert_or_assign(digest, session);
    });
    if (!read) return read.error();
  }
  drop_ended();
  return kDone;
}

Result<std::string> Sessions::begin(const SignIn& by) {
  auto token = ids_.hex(kTokenBytes);
  const auto digest = digest_.of(token);
  const auto now = clock_.now();
  const Session session{by, now, {now.at + kLength}, now};
  std::shared_lock beginning(beginning_);
  if (is_erased_(by.user_id)) {
    return Error{ErrorCode::kWrongPassword, "There is no such account any more."};
  }
  // Not with the lock: threads of the server would wait for a disk. No one knows the token yet.
  if (const auto kept = store_.keep(digest, session); !kept) return kept.error();
  std::vector<std::pair<std::string, std::string>> others;  // when they were used, and which
  {
    const std::unique_lock lock(mutex_);
    for (const auto& [other, its] : by_digest_) {
      if (its.by.user_id == by.user_id) others.emplace_back(its.seen_at.sort_key(), other);
    }
    by_digest_.insert_or_assign(digest, session);
  }
  on_change_({.digest = digest, .session = session});
  beginning.unlock();
  std::sort(others.begin(), others.end());
  for (std::size_t i = 0; i + kMostOfUser <= others.size(); ++i) {
    static_cast<void>(end_digest(others[i].second));  // if it cannot, the next sign-in does
  }
  return token;
}

std::optional<Sessions::Found> Sessions::find(std::string_view token) const {
  if (token.size() != kTokenBytes * 2) return std::nullopt;
  const auto digest = digest_.of(token);
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end() || clock_.now() >= found->second.ends_at) return std::nullopt;
  return Found{id_of(digest), found->second};
}

std::vector<Sessions::Found> Sessions::list(const std::optional<std::string>& user_id) const {
  std::vector<Found> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [digest, session] : by_digest_) {
      if (user_id && session.by.user_id != *user_id) continue;
      if (clock_.now() < session.ends_at) all.push_back({id_of(digest), session});
    }
  }
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return std::tie(b.session.began_at, a.id) < std::tie(a.session.began_at, b.id);
  });
  return all;
}

// A failure to store it, or another write that is under way, is no trouble: the time is stored with
// the next use.
void Sessions::saw(std::string_view token) {
  const auto digest = digest_.of(token);
  const auto now = clock_.now();
  {
    const std::shared_lock lock(mutex_);
    const auto found = by_digest_.find(digest);
    if (found == by_digest_.end() || now.at < found->second.seen_at.at + kSeenEvery) return;
  }
  {
    const std::unique_lock storing(storing_, std::try_to_lock);
    if (!storing) return;
    auto seen = session_of(digest);
    if (!seen) return;
    seen->seen_at = now;
    if (!store_.keep(digest, *seen)) return;
    put(digest, *seen);
  }
  on_change_({.digest = digest, .seen = now});
}

std::optional<Session> Sessions::session_of(const std::string& digest) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  return found == by_digest_.end() ? std::nullopt : std::optional(found->second);
}

void Sessions::put(const std::string& digest, const Session& session) {
  const std::unique_lock lock(mutex_);
  by_digest_.insert_or_assign(digest, session);
}

bool Sessions::erase(const std::string& digest) {
  const std::unique_lock lock(mutex_);
  return by_digest_.erase(digest) > 0;
}

Status Sessions::end(std::string_view token) { return end_digest(digest_.of(token)); }

Status Sessions::end_digest(const std::string& digest) {
  {
    const std::lock_guard storing(storing_);
    if (!session_of(digest)) return kDone;
    if (const auto forgotten = store_.forget(digest); !forgotten) return forgotten.error();
    erase(digest);
  }
  on_change_({.digest = digest});
  return kDone;
}

Result<std::size_t> Sessions::end_all(const std::function<bool(const Found&)>& which) {
  // A session that was checked before its user was erased, here or from another node, may still be
  // stored.
  { const std::unique_lock all_begun(beginning_); }
  { const std::lock_guard all_stored(storing_); }
  std::vector<std::string> digests;
  std::size_t in_force = 0;
  {
    const std::shared_lock lock(mutex_);
    const auto now = clock_.now();
    for (const auto& [digest, session] : by_digest_) {
      if (!which({id_of(digest), session})) continue;
      digests.push_back(digest);
      if (now < session.ends_at) ++in_force;
    }
  }
  for (const auto& digest : digests) {
    if (const auto ended = end_digest(digest); !ended) return ended.error();
  }
  return in_force;
}

Status Sessions::apply(const SessionChange& change) {
  const std::lock_guard storing(storing_);  // it may be ended meanwhile
  if (change.session) {
    if (clock_.now() >= change.session->ends_at) return kDone;
    if (is_erased_(change.session->by.user_id)) return kDone;
    put(change.digest, *change.session);
    return store_.keep(change.digest, *change.session);
  }
  if (!change.seen) return erase(change.digest) ? store_.forget(change.digest) : kDone;
  auto seen = session_of(change.digest);
  if (!seen || *change.seen <= seen->seen_at) return kDone;
  seen->seen_at = *change.seen;
  put(change.digest, *seen);
  return store_.keep(change.digest, *seen);
}

// What the store cannot forget now is tried again later.
void Sessions::drop_ended() {
  const std::lock_guard storing(storing_);
  const auto now = clock_.now();
  if (now.at < dropped_at_.at + kDroppedEvery) return;
  dropped_at_ = now;
  std::vector<std::string> ended;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [digest, session] : by_digest_) {
      if (now >= session.ends_at) ended.push_back(digest);
    }
  }
  for (const auto& digest : ended) {
    if (store_.forget(digest)) erase(digest);
  }
}

}  // namespace tilth
