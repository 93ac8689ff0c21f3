// A page of a request log, for its owner and for operators.

#pragma once

#include <string>

#include "api/routing/resource_route.h"
#include "api/usage/request_log.h"

namespace tilth {

// What the query of such a route takes, besides that of pages.
struct RequestsQuery {
  std::optional<std::string> key;
  std::optional<std::string> status;
  std::optional<std::string> path;
  std::optional<std::string> request_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("key", key, {.doc = "Only requests with this API key, by its id."}),
       member("status", status, {.doc = "Only those of this class: 2xx, 3xx, 4xx or 5xx."}),
       member("path", path, {.doc = "Only those whose path begins with this."}),
       member("requestId", request_id, {.doc = "Only those with this X-Request-Id."}));
  }
};

// The requests of that owner that the call's query asks for, as {"data": […], "pagination": {…}},
// newest first. kInvalid, and what RequestLog::find() returns.
Result<HttpResponse> requests_page(RequestLog& log, const std::string& owner, const Call& call);

}  // namespace tilth
