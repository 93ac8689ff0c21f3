// A route is data: its path, who may call it, what it does, and its description in the API's. Every
// listener's routes are of this one kind, and Dispatcher serves them all.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/routing/call.h"
#include "api/routing/guard.h"
#include "api/routing/operation.h"
#include "api/routing/scope.h"
#include "events/json/schema.h"

namespace tilth {

// Sends the response, now or later.
using Handler = std::function<void(const Call&)>;

// The body lists requests, which Batches carries out.
struct BatchOfRequests {};

// For OpenAPI. Schemas are made on demand; an empty function means there is none.
struct Description {
  using Schema = std::function<Json()>;
  std::string name = {};      // the operationId: "listFarms"
  std::string about = {};     // what the summary does not tell, in sentences
  std::string alias_of = {};  // the name of the same operation under another path
  Schema path = {};
  Schema query = {};
  Schema body = {};
  Schema answer = {};  // of the whole body; of each line or server-sent event if `of_lines`
  int status = 200;
  std::vector<std::string_view> headers = {};  // of a success, besides those of its kind of route
  bool paged = false;                          // takes page, limit and order
  bool of_lines = false;                       // responds with JSON lines or server-sent events
  std::vector<int> refusals = {};              // in addition to those of the method and the guard
};

struct Route {
  std::string_view method;   // in capitals; GET serves HEAD, too
  std::string_view pattern;  // "/farms/{id}", below `mount`
  std::string_view summary;
  Guard guard = Guard::kKey;
  std::optional<Scope> scope = {};  // that a key needs
  std::variant<Handler, Operation, BatchOfRequests> action = {};
  std::string_view mount = "";  // "/api/v1"
  std::string_view body_type = "application/json";
  bool needs_rows = false;                      // a handler that reads its caller's land
  bool large_body = false;                      // stored in a file, not in memory
  std::size_t most_body_bytes = 0;              // if more than the listener's limit
  std::optional<Description> description = {};  // null: not described

  std::string path() const { return std::string(mount).append(pattern); }
};

// A route whose handler uses a surface, such as the dashboard or the operator API.
template <class Surface>
struct SurfaceRoute {
  Route route;
  std::function<void(Surface&, const Call&)> serve = {};  // empty: the route has an action
};

// Binds the handlers to the surface, which must outlive the routes.
template <class Surface>
std::vector<Route> bind(Surface& surface, std::vector<SurfaceRoute<Surface>> unbound) {
  std::vector<Route> routes;
  for (auto& [route, serve] : unbound) {
    if (serve) {
      route.action = [&surface, serve = std::move(serve)](const Call& call) {
        serve(surface, call);
      };
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

// The routes without a surface, for descriptions only.
template <class Surface>
std::vector<Route> described(std::vector<SurfaceRoute<Surface>> unbound) {
  std::vector<Route> routes;
  for (auto& each : unbound) routes.push_back(std::move(each.route));
  return routes;
}

}  // namespace tilth
