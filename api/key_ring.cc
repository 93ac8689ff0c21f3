#include "api/key_ring.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <type_traits>

#include <sodium.h>

namespace tilth {

KeyDigest::KeyDigest(std::string_view secret) {
  static_assert(std::is_trivially_copyable_v<crypto_auth_hmacsha256_state> &&
                sizeof(crypto_auth_hmacsha256_state) <= sizeof keyed_);
  if (sodium_init() < 0) std::abort();
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(secret.data()),
                              secret.size());
  std::memcpy(keyed_.data(), &state, sizeof state);
}

std::string KeyDigest::of(std::string_view key) const {
  crypto_auth_hmacsha256_state state;
  std::memcpy(&state, keyed_.data(), sizeof state);
  crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(key.data()),
                                key.size());
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> digest;
  crypto_auth_hmacsha256_final(&state, digest.data());
  std::string hex(digest.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  hex.pop_back();
  return hex;
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
    if (offset + kUsersAtOnce >= users.total) return;
  }
}

void KeyRing::add(const User& user) {
  const std::unique_lock lock(mutex_);
  plans_[user.user_id] = user.plan;
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
    holder.allowed_ips.emplace();  // one that cannot be read lets nobody in
    for (const auto& text : *details.allowed_ips) {
      if (const auto network = Network::parse(text)) holder.allowed_ips->push_back(*network);
    }
  }
  holder.expires_at = details.expires_at;
  const std::unique_lock lock(mutex_);
  digests_[key_id] = digest;
  by_digest_.insert_or_assign(digest, std::move(holder));
}

void KeyRing::on_event(const Event& event) {
  if (const auto* user = std::get_if<UserRegistered>(&event)) {
    const std::unique_lock lock(mutex_);
    plans_[user->user_id] = user->plan;
  } else if (const auto* amended = std::get_if<UserAmended>(&event)) {
    const std::unique_lock lock(mutex_);
    amended->plan.apply(plans_[amended->user_id]);
  } else if (const auto* minted = std::get_if<ApiKeyMinted>(&event)) {
    add_key(minted->key_digest, minted->key_id, minted->user_id, minted->details);
  } else if (const auto* revoked = std::get_if<ApiKeyRevoked>(&event)) {
    const std::unique_lock lock(mutex_);
    const auto digest = digests_.find(revoked->key_id);
    if (digest == digests_.end()) return;
    by_digest_.erase(digest->second);
    digests_.erase(digest);
  }
}

std::optional<KeyHolder> KeyRing::find(const std::string& digest) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return std::nullopt;
  // The look-up compared digests of 256 bits that nobody can aim at without the secret; once more
  // in constant time, so that this does not rest on how a hash table compares.
  if (found->first.size() != digest.size() ||
      sodium_memcmp(found->first.data(), digest.data(), digest.size()) != 0) {
    return std::nullopt;
  }
  auto holder = found->second;
  const auto plan = plans_.find(holder.user_id);
  if (plan != plans_.end()) holder.plan = plan->second;
  return holder;
}

}  // namespace tilth
