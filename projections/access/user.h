// User and API key rows: operators see them, and the key ring is filled from them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/access/user.h"
#include "events/values/big_endian.h"
#include "events/values/text.h"
#include "projections/rows/rows.h"

namespace tilth {

// The 126 bits of a nanoid, "user_…" or "key_…"; null for anything else.
std::optional<Uuid> nanoid_bits(std::string_view prefix, std::string_view text);

struct User {
  static constexpr std::string_view kTable = "user";
  static constexpr std::string_view kIdPrefix = "user_";
  static constexpr std::array<std::string_view, 1> kSorts{"createdAt"};
  static constexpr std::array<std::string_view, 1> kFilters{"email"};

  Id<User> id;  // nanoid_bits of user_id
  std::string user_id;
  std::string email;
  std::optional<std::string> name;
  std::string plan;
  std::optional<std::string> password_hash;
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<Timestamp> disabled_at = {};
  // How often all sessions of the user ended at once: by a new password, or since the user was
  // disabled. A session of an earlier epoch is over, whichever node it began at.
  std::int64_t session_epoch = 0;
  std::int64_t keys_minted = 0;

  // As operators see it.
  struct Shown {
    std::string user_id;
    std::string email;
    std::optional<std::string> name;
    std::string plan;
    Timestamp created_at;
    Timestamp updated_at;
    Patch<Timestamp> disabled_at;  // absent while the user is not disabled

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("id", user_id), member("email", email), member("name", name), member("plan", plan),
         member("createdAt", created_at), member("updatedAt", updated_at),
         member("disabledAt", disabled_at));
    }
  };
  Shown shown() const {
    return {user_id, email, name, plan, created_at, updated_at, {disabled_at}};
  }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    const auto folded = fold_case(email);
    index.filter(folded);
    index.sort(created_at);
    index.unique(folded);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("bits", id, {.hidden = true}), member("id", user_id), member("email", email),
       member("name", name), member("plan", plan),
       member("passwordHash", password_hash, {.hidden = true}), member("createdAt", created_at),
       member("updatedAt", updated_at), member("disabledAt", disabled_at, {.hidden = true}),
       member("sessionEpoch", session_epoch, {.hidden = true}),
       member("keysMinted", keys_minted, {.hidden = true}));
  }
};

// A user's identity at an identity provider: at most one, the last one reported.
struct KnownIdentity {
  static constexpr std::string_view kTable = "identity";
  static constexpr std::array<std::string_view, 1> kSorts{"user"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<KnownIdentity> id;  // the bits of the user's id
  std::string user_id;
  Identity identity;

  static std::string key_of(const Identity& identity) {
    return identity.issuer + ' ' + identity.subject;
  }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.sort(id.uuid.key());
    index.unique(key_of(identity));
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("bits", id), member("userId", user_id), member("identity", identity));
  }
};

struct ApiKey {
  static constexpr std::string_view kTable = "api_key";
  static constexpr std::string_view kIdPrefix = "key_";
  static constexpr std::array<std::string_view, 1> kSorts{"createdAt"};
  static constexpr std::array<std::string_view, 1> kFilters{"revoked"};

  Id<ApiKey> id;  // nanoid_bits of key_id
  Uuid owner;     // nanoid_bits of user_id
  std::string key_id;
  std::string user_id;
  KeyDetails details;
  std::string key_preview;
  std::string key_digest;
  std::optional<Timestamp> revoked_at = {};
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<std::string> revoked_from = {};  // the owner's address; null: by an operator
  std::int64_t number = 0;                       // of the owner's keys, from 1

  // Ids do not tell which of two keys of one instant is the newer one.
  struct Creation {
    Timestamp at;
    std::int64_t number;
    std::string sort_key() const {
      return at.sort_key() + big_endian(static_cast<std::uint64_t>(number));
    }
  };

  Uuid parent() const { return owner; }
  void index_to(RowIndex& index) const {
    index.filter(revoked_at ? "true" : "false");
    index.sort(Creation{created_at, number});
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("bits", id, {.hidden = true}), member("owner", owner, {.hidden = true}),
       member("id", key_id), member("userId", user_id));
    details.serialize(ar);
    ar(member("keyPreview", key_preview), member("keyDigest", key_digest, {.hidden = true}),
       member("revokedAt", revoked_at),
       member("revokedFrom", revoked_from,
              {.doc = "The address from which the owner revoked it; null: an operator did."}),
       member("createdAt", created_at), member("updatedAt", updated_at),
       member("number", number, {.hidden = true}));
  }
};

std::optional<User> find_user(const Rows& rows, const std::string& user_id);
std::optional<User> find_user_by_email(const Rows& rows, const std::string& email);

// The id of the user with that identity.
std::optional<std::string> find_user_by_identity(const Rows& rows, const Identity& identity);
std::optional<KnownIdentity> find_identity(const Rows& rows, const User& user);

// The user's keys that are not revoked, at most so many, newest first; some may have expired.
std::vector<ApiKey> unrevoked_keys(const Rows& rows, const User& user, std::size_t most);

// The same of those that are revoked.
std::vector<ApiKey> revoked_keys(const Rows& rows, const User& user, std::size_t most);

}  // namespace tilth
