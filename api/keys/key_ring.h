// The valid API keys in memory, with their users and permissions.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/http/address.h"
#include "api/routing/scope.h"
#include "events/log/catalogue.h"
#include "projections/access/user.h"
#include "projections/rows/rows.h"

namespace tilth {

// The holder of a valid key.
struct KeyHolder {
  std::string key_id;
  std::string user_id;
  std::string plan;
  Scopes scopes;
  std::optional<std::uint64_t> rate_limit = {};
  std::optional<std::vector<Network>> allowed_ips = {};
  std::optional<Timestamp> expires_at = {};
  bool user_disabled = false;  // then no key of the user is valid
};

// Follows the access projection: filled from its rows at startup, then given each event before the
// command that caused it completes. Threads: any.
class KeyRing {
 public:
  void fill(const Rows& rows);
  void add(const User& user);
  void add(const ApiKey& key);
  void on_event(const Event& event);

  // The holder of the key with that digest, as of now; null when it is unknown or revoked, or its
  // user is disabled.
  std::shared_ptr<const KeyHolder> find(const std::string& digest) const;

  bool is_erased(const std::string& user_id) const;

 private:
  void add_key(const std::string& digest, const std::string& key_id, const std::string& user_id,
               const KeyDetails& details);

  struct Account {
    std::string plan;
    bool disabled = false;
    std::vector<std::string> key_ids;  // not the revoked ones
  };

  // Changes the account and the holders of its keys.
  void change(const std::string& user_id, const std::function<void(Account&)>& by);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Account> accounts_;  // by user
  std::unordered_map<std::string, std::shared_ptr<const KeyHolder>> by_digest_;
  std::unordered_map<std::string, std::string> digests_;  // by key id
  std::unordered_set<std::string> erased_;                // users
};

}  // namespace tilth
