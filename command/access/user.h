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

// In characters.
inline constexpr std::size_t kShortestPassword = 8, kLongestPassword = 200;
inline constexpr std::size_t kShortestEmail = 3, kLongestEmail = 254, kLongestName = 200;

// One @ with something on both sides, no blanks and no U+0000, and a fitting length; only a sent
// mail can prove the rest.
bool looks_like_an_email(std::string_view email);

// The name without U+0000, and no more of it than is allowed; null if nothing is left.
std::optional<std::string> fitting_name(std::string name);

// Users change their own password, having proved that they know the present one.
struct ChangePassword {
  std::string user_id;
  std::optional<std::string> proved_hash;  // of the password that was proved; null: there is none
  std::string password_hash;
};

// What an operator does to an account as a whole.
struct DisableUser {
  std::string user_id;
};

struct EnableUser {
  std::string user_id;
};

// A person whom an identity provider authenticated, signing in for the first time.
struct JoinUser {
  std::string user_id;  // for a new account
  Identity identity;
  std::string email;            // one that no one can have, if it is not verified
  bool email_verified = false;  // by the provider
  std::optional<std::string> name = {};
  std::string plan;
};

// Users add the identity that a provider has just confirmed to their own account.
struct LinkIdentity {
  std::string user_id;
  Identity identity;
};

struct MintKey {
  std::string key_id;
  std::string user_id;
  KeyDetails details;
  std::string key_preview;
  std::string key_digest;
  std::optional<std::size_t> most_keys = {};  // valid at a time; null: unlimited
};

// Where keys are limited, a user has at most so many that are not revoked, expired ones included:
// every decision and every list reads them.
inline constexpr std::size_t kMostUnrevokedKeys = 100;

struct RevokeKey {
  std::string user_id;
  std::string key_id;
  std::optional<std::string> from = {};  // the caller's address; null: an operator
};

// UserRegistered. kConflict: a user has that email, ignoring case.
Decision decide(const Rows&, const RegisterUser&, const Context&);

// UserAmended; nothing if it carries no change. kNotFound: no such user.
Decision decide(const Rows&, const AmendUser&, const Context&);

// UserAmended. kNotFound: no such user. kWrongPassword: the password has changed since it was
// proved, or the user was disabled.
Decision decide(const Rows&, const ChangePassword&, const Context&);

// UserDisabled, UserEnabled; nothing if the user is so already. kNotFound: no such user.
Decision decide(const Rows&, const DisableUser&, const Context&);
Decision decide(const Rows&, const EnableUser&, const Context&);

// UserRegistered; UserIdentified if the verified email belongs to a user who has neither a password
// nor an identity of the provider; nothing if a user has this identity already. kConflict: the
// email belongs to another user, or to one who must first prove to have the password: see
// LinkIdentity.
Decision decide(const Rows&, const JoinUser&, const Context&);

// UserIdentified, in place of the user's earlier identity; nothing if the user has this one.
// kNotFound: no such user. kConflict: another user has it.
Decision decide(const Rows&, const LinkIdentity&, const Context&);

// ApiKeyMinted. kNotFound: no such user. kInvalid: it would be expired already. kKeyLimitExceeded:
// the user has most_keys that are neither revoked nor expired, or kMostUnrevokedKeys.
Decision decide(const Rows&, const MintKey&, const Context&);

// ApiKeyRevoked. kNotFound: the user has no such key, or it is revoked already.
Decision decide(const Rows&, const RevokeKey&, const Context&);

}  // namespace tilth
