// A request on its way to a route: what it asks of what, and who asks.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/exchange.h"
#include "events/values/time.h"

namespace tilth {

struct KeyHolder;  // api/keys/key_ring.h
struct User;       // projections/access/user.h

// Of a query, decoded.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// What stands where a pattern has {names}, decoded. Refers to the router and to the exchange.
using PathParameters = std::vector<std::pair<std::string_view, std::string_view>>;

// Copies share their exchange. Which of `holder` and `user` there are follows from the route's
// guard.
struct Call {
  std::shared_ptr<Exchange> exchange;
  std::string client;  // the address that counts
  Timestamp now = {};  // when it came
  PathParameters path = {};
  Parameters query = {};
  std::shared_ptr<const KeyHolder> holder = {};  // of the key that it carries
  std::shared_ptr<const User> user = {};         // who is signed in, or the holder's account

  const HttpRequest& request() const { return exchange->request(); }
  void answer(HttpResponse response) const { exchange->answer(std::move(response)); }
  void answer(const Error& error) const { exchange->answer(error); }

  // What stands in that {name} of the pattern, which must have it.
  std::string id(std::string_view name) const;

  // Whose rows it asks, and who is said to have done what it does. One of `holder` and `user` is
  // there.
  const std::string& user_id() const;
  const std::string& actor() const;
  const std::string& plan() const;
};

}  // namespace tilth
