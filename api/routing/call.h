// A request on its way to a route: its parameters and its caller.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/exchange.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

struct KeyHolder;         // api/keys/key_ring.h
struct OperatorIdentity;  // api/keys/operator_ring.h
struct User;              // projections/access/user.h

// The parameters of a query, decoded.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// The values of a pattern's {names}, decoded. Refers to the router and to the exchange.
using PathParameters = std::vector<std::pair<std::string_view, std::string_view>>;

// Copies share their exchange. The route's guard determines which of `holder`, `user` and
// `operated_by` are set.
struct Call {
  std::shared_ptr<Exchange> exchange;
  std::string client;  // the client's address
  Timestamp now = {};  // when it arrived
  PathParameters path = {};
  Parameters query = {};
  std::shared_ptr<const KeyHolder> holder = {};  // of the request's key
  std::shared_ptr<const User> user = {};         // signed in, or the key holder's account

  std::shared_ptr<const OperatorIdentity> operated_by = {};  // whose token the request carries

  bool forwarded = false;  // by another node, which has counted it

  // Asked again when its change is decided, on the loop's thread: an error refuses it for now.
  std::function<Status()> may_proceed = {};

  const HttpRequest& request() const { return exchange->request(); }
  void answer(HttpResponse response) const { exchange->answer(std::move(response)); }
  void answer(const Error& error) const { exchange->answer(error); }

  // The value of that {name} of the pattern, which must have it.
  std::string id(std::string_view name) const;

  // Whose rows it reads. One of `holder` and `user` is set.
  const std::string& user_id() const;
  // The actor of its events. One of `holder`, `user` and `operated_by` is set.
  const std::string& actor() const;
  const std::string& plan() const;
};

}  // namespace tilth
