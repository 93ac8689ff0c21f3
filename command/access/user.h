// What may be asked of users and their API keys, by an operator or by the user.

#pragma once

#include "command/decision.h"
#include "projections/access/user.h"

namespace tilth {

// Ids, hashes and digests are made before: decide() reads no random.
struct RegisterUser {
  std::string user_id;
  std::string email;
  std::string plan;
  std::optional<std::string> name = {};
  std::optional<std::string> password_hash = {};
};

struct AmendUser {
  std::string user_id;
  Patch<std::string> plan = {};
  Patch<std::optional<std::string>> name = {};
  Patch<std::optional<std::string>> password_hash = {};
};

// Somebody whom an identity provider named, signing in for the first time.
struct JoinUser {
  std::string user_id;  // of who has no account yet
  Identity identity;
  std::string email;
  bool email_verified = false;  // by the provider
  std::optional<std::string> name = {};
  std::string plan;
};

struct MintKey {
  std::string key_id;
  std::string user_id;
  KeyDetails details;
  std::string key_preview;
  std::string key_digest;
  std::optional<std::size_t> most_keys = {};  // that work at a time; null: as many as one likes
};

struct RevokeKey {
  std::string user_id;
  std::string key_id;
  std::optional<std::string> from = {};  // the address of who asks; null: an operator
};

// UserRegistered. kConflict: a user has that email, without regard to case.
Decision decide(const Rows&, const RegisterUser&, const Context&);

// UserAmended; nothing if it carries nothing. kNotFound: no such user.
Decision decide(const Rows&, const AmendUser&, const Context&);

// UserRegistered; UserIdentified if the email is that of a user whom the provider has not named
// yet; nothing if it has named that user just so. kConflict: the email is a user's, and the
// provider does not say that it was verified, or has named that user otherwise.
Decision decide(const Rows&, const JoinUser&, const Context&);

// ApiKeyMinted. kNotFound: no such user. kInvalid: it would have expired already.
// kKeyLimitExceeded: the user has most_keys that are neither revoked nor expired.
Decision decide(const Rows&, const MintKey&, const Context&);

// ApiKeyRevoked. kNotFound: the user has no such key, or it was revoked before.
Decision decide(const Rows&, const RevokeKey&, const Context&);

}  // namespace tilth
