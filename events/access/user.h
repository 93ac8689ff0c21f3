// Users and the keys with which their programs call the API. All of it is in one stream, `access`,
// so that an email can belong to one user only.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "events/json/json.h"
#include "events/log/streams.h"
#include "events/values/time.h"

namespace tilth {

// A user's identity at an identity provider. It stays the same when the email changes.
struct Identity {
  std::string issuer;
  std::string subject;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("issuer", issuer), member("subject", subject));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct UserRegistered {
  static constexpr EventType kType{"tilth.user.registered", 2};

  std::string user_id;  // user_<nanoid>
  std::string email;
  std::optional<std::string> name;
  std::string plan;
  std::optional<std::string> password_hash;  // Argon2id, in its own text form
  Timestamp registered_at;
  std::optional<Identity> identity = {};  // set if the user registered by signing in at a provider

  static void upcast(int, Json& json) { json.add("identity", {}); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("email", email), member("name", name),
       member("plan", plan), member("passwordHash", password_hash),
       member("registeredAt", registered_at), member("identity", identity));
  }
};

// Stored forever. A user who already had an account signed in at a provider.
struct UserIdentified {
  static constexpr EventType kType{"tilth.user.identified"};

  std::string user_id;
  Identity identity;
  Timestamp identified_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("identity", identity),
       member("identifiedAt", identified_at));
  }
};

// Stored forever. Holds the members that the request carried.
struct UserAmended {
  static constexpr EventType kType{"tilth.user.amended"};

  std::string user_id;
  Patch<std::string> plan;
  Patch<std::optional<std::string>> name;
  Patch<std::optional<std::string>> password_hash;
  Timestamp amended_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("plan", plan), member("name", name),
       member("passwordHash", password_hash), member("amendedAt", amended_at));
  }
};

// Stored forever. The user's keys and sessions stop working; their records stay, and so does the
// work that falls due for them.
struct UserDisabled {
  static constexpr EventType kType{"tilth.user.disabled"};

  std::string user_id;
  Timestamp disabled_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("disabledAt", disabled_at));
  }
};

// Stored forever. The user's keys work again; their sessions have ended for good.
struct UserEnabled {
  static constexpr EventType kType{"tilth.user.enabled"};

  std::string user_id;
  Timestamp enabled_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id), member("enabledAt", enabled_at));
  }
};

enum class KeyEnvironment : std::uint8_t { kLive, kTest };

constexpr auto labels(KeyEnvironment) { return named<KeyEnvironment>("live", "test"); }

// What can be set when a key is minted.
struct KeyDetails {
  std::string name;
  KeyEnvironment environment = {};
  std::vector<std::string> scopes;
  std::optional<std::int64_t> rate_limit;  // requests per hour, on top of the plan's
  FreeObject metadata;
  std::optional<Timestamp> expires_at;
  std::optional<std::vector<std::string>> allowed_ips;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("name", name, {.required = true, .min_length = 1, .max_length = 100}),
       member("environment", environment),
       member("scopes", scopes, {.required = true, .min_items = 1, .max_items = 100}),
       member("rateLimit", rate_limit,
              {.min = 1, .max = 100'000, .doc = "Requests per hour, on top of the plan's."}),
       member("metadata", metadata, {.doc = "An object of up to 8 KiB."}),
       member("expiresAt", expires_at),
       member("allowedIps", allowed_ips,
              {.min_items = 1, .max_items = 100, .doc = "Addresses and CIDRs, IPv4 and IPv6."}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct ApiKeyMinted {
  static constexpr EventType kType{"tilth.api_key.minted"};

  std::string key_id;  // key_<nanoid>
  std::string user_id;
  KeyDetails details;
  std::string key_preview;
  std::string key_digest;  // HMAC-SHA256 of the key, in hex; the key itself is not stored
  Timestamp minted_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("keyId", key_id), member("userId", user_id));
    details.serialize(ar);
    ar(member("keyPreview", key_preview), member("keyDigest", key_digest),
       member("mintedAt", minted_at));
  }
};

// Stored forever. It cannot be undone: a new key is minted instead. The actor says who did it.
struct ApiKeyRevoked {
  static constexpr EventType kType{"tilth.api_key.revoked", 2};

  std::string key_id;
  std::string user_id;
  Timestamp revoked_at;
  std::optional<std::string> revoked_from = {};  // the address; null: at the service itself

  static void upcast(int, Json& json) { json.add("revokedFrom", {}); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("keyId", key_id), member("userId", user_id), member("revokedAt", revoked_at),
       member("revokedFrom", revoked_from));
  }
};

}  // namespace tilth
