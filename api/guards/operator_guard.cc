#include "api/guards/operator_guard.h"

#include <sodium.h>

#include "api/keys/authentication.h"

namespace tilth {
namespace {

std::string_view token_in(const HttpRequest& head) {
  const auto* header = head.header("authorization");
  if (header == nullptr || head.repeats("authorization")) return {};
  return bearer_token(*header);
}

bool is_change(const Route& route) { return route.method != "GET"; }

}  // namespace

OperatorGuard::Identity OperatorGuard::identify(const HttpRequest& head) const {
  const auto shown = token_in(head);
  const auto& own = parts_.own_token;
  if (shown.size() == own.size() && sodium_memcmp(shown.data(), own.data(), own.size()) == 0) {
    return built_in_;
  }
  if (!shown.starts_with(kOperatorTokenPrefix) || !parts_.ready()) return nullptr;
  return parts_.ring.find(parts_.digest.of(shown));
}

bool OperatorGuard::may_be_named(const HttpRequest& head) const {
  return token_in(head).starts_with(kOperatorTokenPrefix) && identify(head) != built_in_;
}

Status OperatorGuard::admit(const Call& call) const {
  if (call.operated_by) return kDone;
  if (!parts_.ready() && may_be_named(call.request())) {
    return Error{.code = ErrorCode::kUnavailable,
                 .message =
                     "The service is not ready yet, and until then takes the token in its "
                     "data directory only.",
                 .retry_after_seconds = 1};
  }
  return Error{ErrorCode::kUnauthorized,
               "Send the operator's token: Authorization: Bearer <TOKEN>."};
}

bool OperatorGuard::may(const Route& route, const OperatorIdentity& identity) const {
  return identity.role >= parts_.needed_role(route);
}

Status OperatorGuard::authorize(const Route& route, const Call& call) const {
  if (is_change(route) && parts_.on_change) parts_.on_change(route, call);
  const auto& identity = *call.operated_by;
  if (may(route, identity)) return kDone;
  const std::string needed(name_of(parts_.needed_role(route)));
  return Error{.code = ErrorCode::kInsufficientScope,
               .message = "The operator " + identity.name + " has the role " +
                          std::string(name_of(identity.role)) + "; this needs the role " + needed +
                          ".",
               .facts = {{"requiredRole", needed}}};
}

bool OperatorGuard::would_admit(const Route& route, const HttpRequest& head) const {
  const auto identity = identify(head);
  return identity && may(route, *identity);
}

}  // namespace tilth
