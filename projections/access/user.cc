#include "projections/access/user.h"

#include <algorithm>

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<User>;
template struct RowCodec<KnownIdentity>;
template struct RowCodec<ApiKey>;

std::optional<Uuid> nanoid_bits(std::string_view prefix, std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (!text.starts_with(prefix) || text.size() != prefix.size() + 21) return std::nullopt;
  __extension__ unsigned __int128 bits = 0;
  for (const char c : text.substr(prefix.size())) {
    const auto digit = kAlphabet.find(c);
    if (digit == kAlphabet.npos) return std::nullopt;
    bits = bits << 6 | digit;
  }
  Uuid packed;
  for (auto byte = packed.bytes.rbegin(); byte != packed.bytes.rend(); ++byte, bits >>= 8) {
    *byte = static_cast<std::uint8_t>(bits);
  }
  return packed;
}

std::optional<User> find_user(const Rows& rows, const std::string& user_id) {
  const auto bits = nanoid_bits(User::kIdPrefix, user_id);
  return bits ? rows.find(Id<User>{*bits}) : std::nullopt;
}

std::optional<User> find_user_by_email(const Rows& rows, const std::string& email) {
  const auto id = rows.find_unique<User>({}, fold_case(email));
  return id ? rows.find(*id) : std::nullopt;
}

std::optional<std::string> find_user_by_identity(const Rows& rows, const Identity& identity) {
  const auto id = rows.find_unique<KnownIdentity>({}, KnownIdentity::key_of(identity));
  const auto known = id ? rows.find(*id) : std::nullopt;
  return known ? std::optional(known->user_id) : std::nullopt;
}

std::optional<KnownIdentity> find_identity(const Rows& rows, const User& user) {
  return rows.find(Id<KnownIdentity>{user.id.uuid});
}

std::vector<ApiKey> unrevoked_keys(const Rows& rows, const User& user, std::size_t most) {
  Listing listing{.filters = {{0, "false"}}};
  listing.limit = std::min<std::uint64_t>(most, rows.count<ApiKey>(user.id.uuid));
  return rows.list<ApiKey>(user.id.uuid, listing).rows;
}

std::vector<ApiKey> revoked_keys(const Rows& rows, const User& user, std::size_t most) {
  Listing listing{.filters = {{0, "true"}}};
  listing.limit = most;
  return rows.list<ApiKey>(user.id.uuid, listing).rows;
}

void evolve(MutableRows& rows, const UserRegistered& e) {
  const auto id = nanoid_bits(User::kIdPrefix, e.user_id);
  if (!id) return;
  rows.put(User{{*id},
                e.user_id,
                e.email,
                e.name,
                e.plan,
                e.password_hash,
                e.registered_at,
                e.registered_at});
  if (e.identity) rows.put(KnownIdentity{{*id}, e.user_id, *e.identity});
}

void evolve(MutableRows& rows, const UserIdentified& e) {
  const auto id = nanoid_bits(User::kIdPrefix, e.user_id);
  if (id) rows.put(KnownIdentity{{*id}, e.user_id, e.identity});
}

void evolve(MutableRows& rows, const UserAmended& e) {
  const auto id = nanoid_bits(User::kIdPrefix, e.user_id);
  auto user = id ? rows.find(Id<User>{*id}) : std::nullopt;
  if (!user) return;
  e.plan.apply(user->plan), e.name.apply(user->name), e.password_hash.apply(user->password_hash);
  if (e.password_hash.to) ++user->session_epoch;
  user->updated_at = e.amended_at;
  rows.put(*user);
}

void evolve(MutableRows& rows, const UserDisabled& e) {
  auto user = find_user(rows, e.user_id);
  if (!user) return;
  user->disabled_at = user->updated_at = e.disabled_at;
  ++user->session_epoch;
  rows.put(*user);
}

void evolve(MutableRows& rows, const UserEnabled& e) {
  auto user = find_user(rows, e.user_id);
  if (!user) return;
  user->disabled_at.reset();
  user->updated_at = e.enabled_at;
  rows.put(*user);
}

void evolve(MutableRows& rows, const ApiKeyMinted& e) {
  const auto id = nanoid_bits(ApiKey::kIdPrefix, e.key_id);
  const auto owner = nanoid_bits(User::kIdPrefix, e.user_id);
  if (!id || !owner) return;
  auto user = rows.find(Id<User>{*owner});
  if (user) ++user->keys_minted;
  // The first row that is put is the one in the response.
  rows.put(ApiKey{{*id},
                  *owner,
                  e.key_id,
                  e.user_id,
                  e.details,
                  e.key_preview,
                  e.key_digest,
                  {},
                  e.minted_at,
                  e.minted_at,
                  {},
                  user ? user->keys_minted : 0});
  if (user) rows.put(*user);
}

void evolve(MutableRows& rows, const ApiKeyRevoked& e) {
  const auto id = nanoid_bits(ApiKey::kIdPrefix, e.key_id);
  auto key = id ? rows.find(Id<ApiKey>{*id}) : std::nullopt;
  if (!key) return;
  key->revoked_at = key->updated_at = e.revoked_at;
  key->revoked_from = e.revoked_from;
  rows.put(*key);
}

ResourceRows user_rows() {
  return {.rows = {row_type<User>(), row_type<KnownIdentity>(), row_type<ApiKey>()},
          .handlers = evolving<UserRegistered, UserIdentified, UserAmended, UserDisabled,
                               UserEnabled, ApiKeyMinted, ApiKeyRevoked>()};
}

}  // namespace tilth
