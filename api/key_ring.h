// The keys that open the API, in memory: whose each is and what it may be used for.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/address.h"
#include "api/scope.h"
#include "events/catalogue.h"
#include "projections/rows.h"
#include "projections/user.h"

namespace tilth {

// HMAC-SHA256 of a key under the service's secret, in hex. Nobody can find the key from it, and
// without the secret nobody can tell whether a guess is right. Threads: any.
class KeyDigest {
 public:
  explicit KeyDigest(std::string_view secret);
  std::string of(std::string_view key) const;

 private:
  std::array<std::uint8_t, 512> keyed_ = {};  // libsodium's state after the secret, to be copied
};

// Somebody who may come in.
struct KeyHolder {
  std::string key_id;
  std::string user_id;
  std::string plan;
  Scopes scopes;
  std::optional<std::uint64_t> rate_limit = {};
  std::optional<std::vector<Network>> allowed_ips = {};
  std::optional<Timestamp> expires_at = {};
};

// Follows the access projection: filled from its rows at start, then told of each event before the
// command that caused it is answered. Threads: any.
class KeyRing {
 public:
  void fill(const Rows& rows);
  void add(const User& user);
  void add(const ApiKey& key);
  void on_event(const Event& event);

  // The holder of the key with that digest; null when it is unknown or revoked.
  std::optional<KeyHolder> find(const std::string& digest) const;

 private:
  void add_key(const std::string& digest, const std::string& key_id, const std::string& user_id,
               const KeyDetails& details);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::string> plans_;    // by user
  std::unordered_map<std::string, KeyHolder> by_digest_;  // not the revoked ones
  std::unordered_map<std::string, std::string> digests_;  // by key id
};

}  // namespace tilth
