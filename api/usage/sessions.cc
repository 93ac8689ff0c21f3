#include "api/usage/sessions.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace tilth {

constexpr std::size_t kTokenBytes = 32;

Status Sessions::restore() {
  const std::unique_lock lock(mutex_);
  const auto read = store_.read([this](const std::string& digest, const Session& session) {
    by_digest_.insert_or_assign(digest, session);
  });
  if (!read) return read.error();
  drop_ended(clock_.now());
  return kDone;
}

Result<std::string> Sessions::begin(const std::string& user_id) {
  auto token = ids_.hex(kTokenBytes);
  const auto digest = digest_.of(token);
  const Session session{user_id, {clock_.now().at + kLength}};
  {
    const std::unique_lock lock(mutex_);
    if (const auto kept = store_.keep(digest, session); !kept) return kept.error();
    put(digest, session);
  }
  tell_({digest, session});
  return token;
}

std::optional<std::string> Sessions::user_of(std::string_view token) const {
  if (token.size() != kTokenBytes * 2) return std::nullopt;
  const auto digest = digest_.of(token);
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end() || clock_.now() >= found->second.ends_at) return std::nullopt;
  return found->second.user_id;
}

Status Sessions::end(std::string_view token) {
  const auto digest = digest_.of(token);
  {
    const std::unique_lock lock(mutex_);
    if (!by_digest_.contains(digest)) return kDone;
    if (const auto forgotten = store_.forget(digest); !forgotten) return forgotten.error();
    by_digest_.erase(digest);
  }
  tell_({digest, std::nullopt});
  return kDone;
}

Status Sessions::hear(const SessionChange& change) {
  const std::unique_lock lock(mutex_);  // held while storing: it may be ended meanwhile
  if (!change.session) {
    return by_digest_.erase(change.digest) > 0 ? store_.forget(change.digest) : kDone;
  }
  if (clock_.now() >= change.session->ends_at) return kDone;
  put(change.digest, *change.session);
  return store_.keep(change.digest, *change.session);
}

void Sessions::put(const std::string& digest, const Session& session) {
  if (by_digest_.size() >= crowd_) drop_ended(clock_.now());
  by_digest_.insert_or_assign(digest, session);
}

// What the store cannot forget now is tried again later.
void Sessions::drop_ended(Timestamp now) {
  std::erase_if(by_digest_, [&](const auto& entry) {
    return now >= entry.second.ends_at && store_.forget(entry.first);
  });
  crowd_ = std::max<std::size_t>(1'000, by_digest_.size() * 2);
}

}  // namespace tilth
