// All guards of a listener: who may call a route, and what they may do there.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/guards/address_guard.h"
#include "api/guards/host_guard.h"
#include "api/guards/key_guard.h"
#include "api/guards/operator_guard.h"
#include "api/guards/origin.h"
#include "api/guards/session_guard.h"
#include "api/http/address.h"
#include "api/keys/access_lease.h"
#include "api/routing/call.h"
#include "api/routing/route.h"
#include "events/values/result.h"

namespace tilth {

// A page names the user whom it shows; another one may have signed in from another tab since.
// kUnauthenticated: it names another than the one of that id.
Status is_for(const HttpRequest& request, const std::string& user_id);

// Threads: any.
class Guards {
 public:
  // Borrowed; must outlive the guards. Null: no route of this listener has that guard.
  struct Parts {
    const AddressGuard* address = nullptr;
    const KeyGuard* key = nullptr;
    const SessionGuard* session = nullptr;
    const OperatorGuard* operators = nullptr;
    const HostGuard* hosts = nullptr;  // null: any Host header is fine
    AccessLease* lease = nullptr;      // null: no other node writes to the log
    std::vector<Network> trusted_proxies = {};
  };

  explicit Guards(Parts parts) : parts_(std::move(parts)) {}

  // Whether the request addresses this service: kForeignOrigin.
  Status admit_host(const HttpRequest& request) const;

  // The holder of the call's key, as far as this node knows; null if it is asked for none. Fills
  // `user` by the session, if the guard takes one, and `operated_by` by the operator's token.
  using Identified = std::optional<Result<KeyGuard::Holder>>;
  Identified identify(Guard guard, Call& call) const;

  // Whether this node knows all that any node knows of callers.
  bool is_current() const;

  // Whether other nodes may have newer data: the key was revoked or minted, the session's user has
  // a new password or was disabled. Then wait for lease() and identify again. `was_current`: what
  // is_current() said before identify(); else what was found may be old, though it is current by
  // now.
  bool in_doubt(const Identified& identified, const Call& call, bool was_current) const;
  AccessLease& lease() const { return *parts_.lease; }

  // The caller of a request that another node has admitted and forwards: fills `holder` by the
  // key, if it came with one, else `user` by that id. kUnauthenticated and what authenticate()
  // says: this node knows no such caller.
  Status identify_forwarded(Guard guard, Call& call, const std::string& user_id) const;

  // Counts and admits the request; fills `holder` and `user`. Errors: 401, 429, 403 for the address
  // (docs/api.md, "Errors"), and 503 while it is not known which operators there are.
  Status admit(Guard guard, Call& call, const Identified& identified) const;

  // The admitted request, of a key or a session, counts as that many more. kRateLimited: then it
  // does not count at all.
  Status admit_further(const Call& call, std::uint32_t further) const;

  // Whether the admitted caller may do that: kInsufficientScope, kForeignOrigin. Whatever becomes
  // of an operator's change from then on is recorded before it is answered.
  Status authorize(const Route& route, const Call& call) const;

  // What the head of a request whose body has not arrived tells; counts nothing.
  struct Preview {
    bool refused = false;  // admit() or authorize() would refuse it
    std::string account;   // the user's id, or the client's address
    bool known = false;    // it has a user
  };
  Preview preview(const Route& route, const HttpRequest& head) const;

  bool has_operators() const { return parts_.operators != nullptr; }

  // The client's address: from X-Forwarded-For behind a trusted proxy, else the peer's.
  std::string client_of(const HttpRequest& request) const;

  // Whether the client reached a trusted proxy through TLS.
  bool came_over_tls(const HttpRequest& request) const {
    return tilth::came_over_tls(request, parts_.trusted_proxies);
  }

  // What remains for that address; null if requests are not counted.
  std::optional<RateVerdict> look(const std::string& client) const;

 private:
  Preview preview_key(const Route& route, const HttpRequest& head, std::string client) const;
  Preview preview_stranger(std::string client) const;
  Status admit_key(Call& call, const Result<KeyGuard::Holder>& found) const;
  Status admit_session(Call& call) const;
  Status refuse_stranger(const Call& call, const Error& error) const;

  const Parts parts_;
};

}  // namespace tilth
