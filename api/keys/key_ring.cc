#include "api/keys/key_ring.h"

#include <mutex>

#include "api/keys/key_digest.h"
#include "projections/access/erased_user.h"

namespace tilth {

void KeyRing::add(const User& user) {
  change(user.user_id, [&](Account& account) {
    account.plan = user.plan;
    account.disabled = user.disabled_at.has_value();
  });
}

void KeyRing::fill(const Rows& rows) {
  constexpr std::size_t kUsersAtOnce = 500;
  for (std::uint64_t offset = 0;; offset += kUsersAtOnce) {
    const auto users =
        rows.list<User>({}, {.order = Order::kAscending, .offset = offset, .limit = kUsersAtOnce});
    for (const auto& user : users.rows) {
      add(user);
      const auto keys =
          rows.list<ApiKey>(user.id.uuid, {.limit = rows.count<ApiKey>(user.id.uuid)});
      for (const auto& key : keys.rows) add(key);
    }
    if (offset + kUsersAtOnce >= users.total) break;
  }
  for (std::uint64_t offset = 0;; offset += kUsersAtOnce) {
    const auto erased = rows.list<ErasedUser>({}, {.offset = offset, .limit = kUsersAtOnce});
    const std::unique_lock lock(mutex_);
    for (const auto& user : erased.rows) erased_.insert(user.user_id);
    if (offset + kUsersAtOnce >= erased.total) return;
  }
}

// Holders are shared with the callers of find(), so they are replaced, never changed.
void KeyRing::change(const std::string& user_id, const std::function<void(Account&)>& by) {
  const std::unique_lock lock(mutex_);
  auto& account = accounts_[user_id];
  by(account);
  for (const auto& key_id : account.key_ids) {
    auto& holder = by_digest_.at(digests_.at(key_id));
    auto changed = *holder;
    changed.plan = account.plan;
    changed.user_disabled = account.disabled;
    holder = std::make_shared<const KeyHolder>(std::move(changed));
  }
}

void KeyRing::add(const ApiKey& key) {
  if (!key.revoked_at) add_key(key.key_digest, key.key_id, key.user_id, key.details);
}

void KeyRing::add_key(const std::string& digest, const std::string& key_id,
                      const std::string& user_id, const KeyDetails& details) {
  KeyHolder holder{key_id, user_id, {}, {}};
  for (const auto& name : details.scopes) {
    if (const auto scope = find_scope(name)) holder.scopes.add(*scope);
  }
  if (details.rate_limit) holder.rate_limit = static_cast<std::uint64_t>(*details.rate_limit);
  if (details.allowed_ips) {
    holder.allowed_ips.emplace();  // an unreadable network admits no address
    for (const auto& text : *details.allowed_ips) {
      if (const auto network = Network::parse(text)) holder.allowed_ips->push_back(*network);
    }
  }
  holder.expires_at = details.expires_at;
  const std::unique_lock lock(mutex_);
  auto& account = accounts_[user_id];
  holder.plan = account.plan;
  holder.user_disabled = account.disabled;
  if (digests_.insert_or_assign(key_id, digest).second) account.key_ids.push_back(key_id);
  by_digest_.insert_or_assign(digest, std::make_shared<const KeyHolder>(std::move(holder)));
}

void KeyRing::on_event(const Event& event) {
  if (const auto* user = event.get_if<UserRegistered>()) {
    change(user->user_id, [&](Account& account) { account.plan = user->plan; });
  } else if (const auto* amended = event.get_if<UserAmended>()) {
    if (!amended->plan.to) return;
    change(amended->user_id, [&](Account& account) { account.plan = *amended->plan.to; });
  } else if (const auto* disabled = event.get_if<UserDisabled>()) {
    change(disabled->user_id, [](Account& account) { account.disabled = true; });
  } else if (const auto* erased = event.get_if<UserErased>()) {
    change(erased->user_id, [](Account& account) { account.disabled = true; });
    const std::unique_lock lock(mutex_);
    erased_.insert(erased->user_id);
  } else if (const auto* enabled = event.get_if<UserEnabled>()) {
    change(enabled->user_id, [](Account& account) { account.disabled = false; });
  } else if (const auto* minted = event.get_if<ApiKeyMinted>()) {
    add_key(minted->key_digest, minted->key_id, minted->user_id, minted->details);
  } else if (const auto* revoked = event.get_if<ApiKeyRevoked>()) {
    const std::unique_lock lock(mutex_);
    const auto digest = digests_.find(revoked->key_id);
    if (digest == digests_.end()) return;
    std::erase(accounts_[revoked->user_id].key_ids, revoked->key_id);
    by_digest_.erase(digest->second);
    digests_.erase(digest);
  }
}

bool KeyRing::is_erased(const std::string& user_id) const {
  const std::shared_lock lock(mutex_);
  return erased_.contains(user_id);
}

std::shared_ptr<const KeyHolder> KeyRing::find(const std::string& digest) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return nullptr;
  // The look-up compared 256-bit digests, which cannot be targeted without the secret. Compare
  // again in constant time, so as not to depend on how a hash table compares.
  if (!KeyDigest::same(found->first, digest) || found->second->user_disabled) return nullptr;
  return found->second;
}

}  // namespace tilth
