// The guards of a listener together: who is let in to a route, and what they may do there.

#pragma once

#include <optional>
#include <vector>

#include "api/guards/address_guard.h"
#include "api/guards/key_guard.h"
#include "api/guards/operator_guard.h"
#include "api/guards/session_guard.h"
#include "api/http/address.h"
#include "api/keys/access_lease.h"
#include "api/routing/call.h"
#include "api/routing/route.h"
#include "events/values/result.h"

namespace tilth {

// Threads: any.
class Guards {
 public:
  // Borrowed; must outlive the guards. Null: no route of this listener has that guard.
  struct Parts {
    const AddressGuard* address = nullptr;
    const KeyGuard* key = nullptr;
    const SessionGuard* session = nullptr;
    const OperatorGuard* operators = nullptr;
    AccessLease* lease = nullptr;  // null: no other node writes to the log
    std::vector<Network> trusted_proxies = {};
  };

  explicit Guards(Parts parts) : parts_(std::move(parts)) {}

  // Whose key the call carries, as far as this node knows; null where that guard asks no key.
  using Identified = std::optional<Result<KeyGuard::Holder>>;
  Identified identify(Guard guard, const Call& call) const;

  // Whether other nodes may know better: that the key was revoked, or that it was minted. Then wait
  // for lease() and identify again.
  bool in_doubt(const Identified& identified, const Call& call) const;
  AccessLease& lease() const { return *parts_.lease; }

  // Counts the request and lets it in; fills `holder` and `user`. Errors: 401, 429, and 403 for
  // the address (docs/api.md, "Errors").
  Status admit(Guard guard, Call& call, const Identified& identified) const;

  // Whether who was let in may do that: kInsufficientScope, kForeignOrigin.
  Status authorize(const Route& route, const Call& call) const;

  // Whether the operator's token is there. False where no route asks for it.
  bool shows_token(const HttpRequest& head) const;
  bool has_operators() const { return parts_.operators != nullptr; }

  // The address that counts: of X-Forwarded-For behind a trusted proxy, else the peer's.
  std::string client_of(const HttpRequest& request) const;

  // What that address has left; null where nothing is counted.
  std::optional<RateVerdict> look(const std::string& client) const;

 private:
  bool asks_key(Guard guard, const HttpRequest& request) const;
  Status admit_key(Call& call, const Result<KeyGuard::Holder>& found) const;
  Status admit_session(Call& call) const;
  Status refuse_stranger(const Call& call, const Error& error) const;

  const Parts parts_;
};

}  // namespace tilth
