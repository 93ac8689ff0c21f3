#include "command/access/user.h"

#include <algorithm>
#include <string>
#include <utility>

#include "events/values/utf8.h"

namespace tilth {
namespace {

const Error kNoUser{ErrorCode::kNotFound, "There is no such user."};
const Error kTaken{ErrorCode::kConflict, "Another user has this email."};
const Error kNoKey{ErrorCode::kNotFound, "The user has no such key, or it is revoked."};

Error key_limit(std::size_t most, const std::string& what) {
  const auto limit = static_cast<std::int64_t>(most);
  return {.code = ErrorCode::kKeyLimitExceeded,
          .message = "There are " + std::to_string(limit) + what,
          .facts = {{"limit", limit}}};
}

// Whether the user may have one more key.
Status has_room(const Rows& rows, const User& user, std::size_t most_keys, Timestamp now) {
  const auto keys = unrevoked_keys(rows, user, kMostUnrevokedKeys);
  const auto working = std::count_if(keys.begin(), keys.end(), [&](const auto& key) {
    return !key.details.expires_at || *key.details.expires_at > now;
  });
  if (static_cast<std::size_t>(working) >= most_keys) {
    return key_limit(most_keys, " keys that work. Revoke one that is not needed any more.");
  }
  if (keys.size() < kMostUnrevokedKeys) return kDone;
  return key_limit(kMostUnrevokedKeys,
                   " keys that are not revoked. Revoke those that have expired.");
}

}  // namespace

bool looks_like_an_email(std::string_view email) {
  constexpr std::string_view kForbidden(" \t\r\n\0", 5);
  const auto length = code_points(email);
  const auto at = email.find('@');
  return length >= kShortestEmail && length <= kLongestEmail && at != email.npos && at > 0 &&
         at + 1 < email.size() && email.find('@', at + 1) == email.npos &&
         email.find_first_of(kForbidden) == email.npos;
}

std::optional<std::string> fitting_name(std::string name) {
  std::erase(name, '\0');
  name.resize(first_code_points(name, kLongestName).size());
  return name.empty() ? std::nullopt : std::optional(std::move(name));
}

Decision decide(const Rows& rows, const RegisterUser& command, const Context& context) {
  if (rows.find_unique<User>({}, fold_case(command.email))) {
    return Error{ErrorCode::kConflict, "A user has this email."};
  }
  return UserRegistered{command.user_id, command.email,         command.name,
                        command.plan,    command.password_hash, context.now};
}

Decision decide(const Rows& rows, const AmendUser& command, const Context& context) {
  if (!find_user(rows, command.user_id)) return kNoUser;
  if (!command.plan.to && !command.name.to && !command.password_hash.to) return std::nullopt;
  return UserAmended{command.user_id, command.plan, command.name, command.password_hash,
                     context.now};
}

Decision decide(const Rows& rows, const ChangePassword& command, const Context& context) {
  const auto user = find_user(rows, command.user_id);
  if (!user) return kNoUser;
  if (user->disabled_at || user->password_hash != command.proved_hash) {
    return Error{ErrorCode::kWrongPassword, "The password has changed."};
  }
  return UserAmended{command.user_id, {}, {}, {command.password_hash}, context.now};
}

Decision decide(const Rows& rows, const DisableUser& command, const Context& context) {
  const auto user = find_user(rows, command.user_id);
  if (!user) return kNoUser;
  if (user->disabled_at) return std::nullopt;
  return UserDisabled{command.user_id, context.now};
}

Decision decide(const Rows& rows, const EnableUser& command, const Context& context) {
  const auto user = find_user(rows, command.user_id);
  if (!user) return kNoUser;
  if (!user->disabled_at) return std::nullopt;
  return UserEnabled{command.user_id, context.now};
}

Decision decide(const Rows& rows, const JoinUser& command, const Context& context) {
  if (find_user_by_identity(rows, command.identity)) return std::nullopt;
  const auto user = find_user_by_email(rows, command.email);
  if (!user) {
    return UserRegistered{command.user_id, command.email,   command.name, command.plan, {},
                          context.now,     command.identity};
  }
  if (!command.email_verified) return kTaken;
  if (user->password_hash) {
    return Error{ErrorCode::kConflict,
                 "The account with this email has a password. Sign in with it, then add the "
                 "provider."};
  }
  const auto known = find_identity(rows, *user);
  if (known && known->identity.issuer == command.identity.issuer) return kTaken;
  return UserIdentified{user->user_id, command.identity, context.now};
}

Decision decide(const Rows& rows, const LinkIdentity& command, const Context& context) {
  if (!find_user(rows, command.user_id)) return kNoUser;
  const auto owner = find_user_by_identity(rows, command.identity);
  if (!owner) return UserIdentified{command.user_id, command.identity, context.now};
  if (*owner == command.user_id) return std::nullopt;
  return Error{ErrorCode::kConflict, "Another user signs in with this account of the provider."};
}

Decision decide(const Rows& rows, const MintKey& command, const Context& context) {
  const auto user = find_user(rows, command.user_id);
  if (!user) return kNoUser;
  const auto& expires_at = command.details.expires_at;
  if (expires_at && *expires_at <= context.now) {
    return Error{
        ErrorCode::kInvalid, "The body is not valid.", {{"expiresAt", {"must be in the future"}}}};
  }
  if (command.most_keys) {
    const auto room = has_room(rows, *user, *command.most_keys, context.now);
    if (!room) return room.error();
  }
  return ApiKeyMinted{command.key_id,      command.user_id,    command.details,
                      command.key_preview, command.key_digest, context.now};
}

Decision decide(const Rows& rows, const RevokeKey& command, const Context& context) {
  const auto bits = nanoid_bits(ApiKey::kIdPrefix, command.key_id);
  const auto key = bits ? rows.find(Id<ApiKey>{*bits}) : std::nullopt;
  if (!key || key->user_id != command.user_id || key->revoked_at) return kNoKey;
  return ApiKeyRevoked{command.key_id, command.user_id, context.now, command.from};
}

}  // namespace tilth
