// Commands on users and their API keys, from an operator or from the user.

#pragma once

#include "command/decision.h"
#include "projections/access/user.h"

namespace tilth {

// Ids, hashes and digests are made beforehand: decide() uses no randomness.
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

// A person whom an identity provider authenticated, signing in for the first time.
struct JoinUser {
  std::string user_id;  // for a new account
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
  std::optional<std::size_t> most_keys = {};  // valid at a time; null: unlimited
};

struct RevokeKey {
  std::string user_id;
  std::string key_id;
  std::optional<std::string> from = {};  // the caller's address; null: an operator
};

// UserRegistered. kConflict: a user has that email, ignoring case.
Decision decide(const Rows&, const RegisterUser&, const Context&);

// UserAmended; nothing if it carries no change. kNotFound: no such user.
Decision decide(const Rows&, const AmendUser&, const Context&);

// UserRegistered; UserIdentified if the email belongs to a user without an identity of the
// provider; nothing if that user has this identity already. kConflict: the email belongs to a user,
// and the provider has not verified it or that user has another identity.
Decision decide(const Rows&, const JoinUser&, const Context&);

// ApiKeyMinted. kNotFound: no such user. kInvalid: it would be expired already. kKeyLimitExceeded:
// the user has most_keys that are neither revoked nor expired.
Decision decide(const Rows&, const MintKey&, const Context&);

// ApiKeyRevoked. kNotFound: the user has no such key, or it is revoked already.
Decision decide(const Rows&, const RevokeKey&, const Context&);

}  // namespace tilth
