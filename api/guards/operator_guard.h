// Admits requests that carry an operator's token, and says what that operator may do.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/http/http.h"
#include "api/keys/key_digest.h"
#include "api/keys/operator_ring.h"
#include "api/routing/call.h"
#include "api/routing/route.h"
#include "events/values/result.h"

namespace tilth {

// The token in the data directory is the built-in operator's, who may do everything. All other
// operators are in the log.
//
// Threads: any.
class OperatorGuard {
 public:
  using Identity = std::shared_ptr<const OperatorIdentity>;

  struct Parts {
    std::string own_token;  // of the built-in operator
    // Borrowed; must outlive the guard.
    const OperatorRing& ring;
    const KeyDigest& digest;
    std::function<OperatorRole(const Route&)> needed_role;
    std::function<bool()> ready;  // whether this node has read which operators there are
    // Begins the record of a change, before it is carried out. Null: nothing is recorded.
    std::function<void(const Route&, const Call&)> on_change = {};
  };

  explicit OperatorGuard(Parts parts) : parts_(std::move(parts)) {}

  // Whose token the request carries; null if it is no operator's. Compares in constant time.
  Identity identify(const HttpRequest& head) const;

  // Whether the token is not the built-in operator's, but has the form of another's: what this node
  // knows of it may be out of date.
  bool may_be_named(const HttpRequest& head) const;

  // kUnauthorized; kUnavailable: this node does not know yet which operators there are.
  Status admit(const Call& call) const;

  // kInsufficientScope: the operator's role is too small for the route.
  Status authorize(const Route& route, const Call& call) const;

  // Whether admit() and authorize() would let the request pass; records nothing.
  bool would_admit(const Route& route, const HttpRequest& head) const;

 private:
  bool may(const Route& route, const OperatorIdentity& identity) const;

  const Parts parts_;
  const Identity built_in_ = OperatorIdentity::built_in();
};

}  // namespace tilth
