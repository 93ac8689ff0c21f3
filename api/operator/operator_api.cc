#include "api/operator/operator_api.h"

#include <utility>

#include <sodium.h>

#include "api/http/media_type.h"
#include "api/http/query_string.h"
#include "api/keys/authentication.h"
#include "api/operator/commands.h"
#include "api/platform/refusal.h"

namespace tilth {
namespace {

bool shows_token(const HttpRequest& request, const std::string& token) {
  const auto* header = request.header("authorization");
  if (header == nullptr || request.repeats("authorization")) return false;
  const auto shown = bearer_token(*header);
  return shown.size() == token.size() &&
         sodium_memcmp(shown.data(), token.data(), token.size()) == 0;
}

}  // namespace

const std::string& OperatorCall::id(std::string_view name) const {
  for (const auto& [key, value] : path) {
    if (key == name) return value;
  }
  std::abort();  // the route's pattern has no such name
}

std::vector<OperatorRoute> operator_routes() {
  std::vector<OperatorRoute> all;
  for (auto& routes : {operator_state_routes(), operator_user_routes(), operator_key_routes(),
                       operator_ai_request_routes(), operator_event_routes(),
                       operator_import_routes(), operator_clock_routes(), operator_backup_routes(),
                       operator_library_routes(), operator_template_routes(),
                       operator_projection_routes(), operator_exchange_rate_routes()}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

OperatorApi::OperatorApi(OperatorParts parts, std::vector<OperatorRoute> routes)
    : parts_(std::move(parts)), router_(std::move(routes)) {}

void OperatorApi::handle(HttpRequest request, std::unique_ptr<Responder> responder) {
  auto id = request_id_of(request, [this] { return parts_.ids.uuid(parts_.clock.now()); });
  const auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                                   std::move(id), parts_.on_answered);
  const auto& asked = exchange->request();
  const PathSegments segments(asked.path);
  const auto match = router_.match(segments.all());
  if (match.routes.empty()) {
    return exchange->answer(Error{ErrorCode::kNoRoute, "There is no such path."});
  }
  exchange->set_route(match.routes.front()->pattern);
  if (asked.method == "OPTIONS") {
    return exchange->answer(HttpResponse{204, {{"Allow", match.allow()}}});
  }
  const auto* route = match.find(asked.method);
  if (route == nullptr) {
    auto response = refusal(
        Error{ErrorCode::kMethodNotAllowed, "This path does not answer to " + asked.method + "."});
    response.headers.emplace_back("Allow", match.allow());
    return exchange->answer(std::move(response));
  }
  if (!route->open && !shows_token(asked, parts_.token)) {
    return exchange->answer(Error{ErrorCode::kUnauthorized,
                                  "Send the operator's token: Authorization: Bearer <TOKEN>."});
  }
  if (asked.body_too_large) {
    return exchange->answer(Error{ErrorCode::kPayloadTooLarge, "The body is too large."});
  }
  const bool has_body = asked.method == "POST" || asked.method == "PUT";
  if (has_body && !is_media_type(asked.header("content-type"), route->body_type)) {
    return exchange->answer(Error{ErrorCode::kUnsupportedMediaType,
                                  "Send " + std::string(route->body_type) + " in UTF-8."});
  }
  const OperatorCall call{
      exchange, {match.path.begin(), match.path.end()}, read_query(asked.query)};
  from_rows(parts_, call, [&] { route->serve(parts_, call); });
}

// Whatever needs no body, or may not send one.
bool OperatorApi::answers_from_head(const HttpRequest& head) const {
  const PathSegments segments(head.path);
  const auto match = router_.match(segments.all());
  const auto* route = match.find(head.method);
  return route == nullptr || route->open || !shows_token(head, parts_.token);
}

bool OperatorApi::takes_large_body(const HttpRequest& head) const {
  const PathSegments segments(head.path);
  const auto match = router_.match(segments.all());
  const auto* route = match.find(head.method);
  return route != nullptr && route->large_body && shows_token(head, parts_.token);
}

HttpResponse OperatorApi::refuse(int status, std::string_view reason, const HttpRequest& heard) {
  auto response = protocol_refusal(status, reason);
  auto id = request_id_of(heard, [this] { return parts_.ids.uuid(parts_.clock.now()); });
  response.headers.emplace_back("X-Request-Id", std::move(id));
  return response;
}

}  // namespace tilth
