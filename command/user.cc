#include "command/user.h"

namespace tilth {
namespace {

const Error kNoUser{ErrorCode::kNotFound, "There is no such user."};
const Error kNoKey{ErrorCode::kNotFound, "The user has no such key, or it is revoked."};

std::optional<User> find_user(const Rows& rows, const std::string& user_id) {
  const auto bits = nanoid_bits(User::kIdPrefix, user_id);
  return bits ? rows.find(Id<User>{*bits}) : std::nullopt;
}

}  // namespace

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

Decision decide(const Rows& rows, const MintKey& command, const Context& context) {
  if (!find_user(rows, command.user_id)) return kNoUser;
  const auto& expires_at = command.details.expires_at;
  if (expires_at && *expires_at <= context.now) {
    return Error{
        ErrorCode::kInvalid, "The body is not valid.", {{"expiresAt", {"must be in the future"}}}};
  }
  return ApiKeyMinted{command.key_id,      command.user_id,    command.details,
                      command.key_preview, command.key_digest, context.now};
}

Decision decide(const Rows& rows, const RevokeKey& command, const Context& context) {
  const auto bits = nanoid_bits(ApiKey::kIdPrefix, command.key_id);
  const auto key = bits ? rows.find(Id<ApiKey>{*bits}) : std::nullopt;
  if (!key || key->user_id != command.user_id || key->revoked_at) return kNoKey;
  return ApiKeyRevoked{command.key_id, command.user_id, context.now};
}

}  // namespace tilth
