#include "api/guards/guards.h"

#include <utility>

#include "api/guards/origin.h"
#include "api/keys/authentication.h"
#include "projections/access/user.h"

namespace tilth {
namespace {

const Error kUnauthenticated{ErrorCode::kUnauthenticated, "Sign in first."};

bool has_key(const HttpRequest& request) { return request.header("authorization") != nullptr; }

// Whether another site's page can make a browser send it with this site's cookies.
bool is_exposed(const Route& route, std::string_view method) {
  const bool by_cookie = route.guard != Guard::kKey && route.guard != Guard::kOperator;
  return by_cookie && method != "GET" && method != "HEAD";
}

}  // namespace

Status is_for(const HttpRequest& request, const std::string& user_id) {
  const auto shown = request.joined("tilth-user");
  if (!shown || *shown == user_id) return kDone;
  return Error{ErrorCode::kUnauthenticated, "Another user has signed in here."};
}

Status Guards::admit_host(const HttpRequest& request) const {
  return parts_.hosts == nullptr ? Status(kDone) : parts_.hosts->admit(request);
}

Guards::Identified Guards::identify(Guard guard, Call& call) const {
  const auto& request = call.request();
  if (guard == Guard::kOperator) call.operated_by = parts_.operators->identify(request);
  const bool takes_both = guard == Guard::kSessionOrKey || guard == Guard::kIfGiven;
  if (guard == Guard::kKey || (takes_both && has_key(request))) {
    return parts_.key->identify(request);
  }
  if (parts_.session != nullptr && (takes_both || guard == Guard::kSession)) {
    call.user = parts_.session->identify(request);
  }
  if (guard == Guard::kSessionOrKey && !call.user) return parts_.key->identify(request);
  return std::nullopt;
}

Status Guards::identify_forwarded(Guard guard, Call& call, const std::string& user_id) const {
  if (has_key(call.request())) {
    auto found = parts_.key->identify(call.request());
    if (!found) return found.error();
    if ((*found)->user_id != user_id) return kUnauthenticated;
    call.holder = *found;
    if (guard != Guard::kSessionOrKey) return kDone;
  }
  call.user = parts_.session->find(user_id);
  return call.user ? Status(kDone) : kUnauthenticated;
}

bool Guards::is_current() const { return parts_.lease == nullptr || parts_.lease->holds(); }

bool Guards::in_doubt(const Identified& identified, const Call& call, bool was_current) const {
  if (parts_.lease == nullptr) return false;
  const bool may_be_old = !was_current || !is_current();
  if (parts_.operators != nullptr && parts_.operators->may_be_named(call.request())) {
    return !call.operated_by || may_be_old;  // another node may have added them
  }
  if (!identified) return call.user && may_be_old;
  if (*identified) return may_be_old;
  if (identified->error().code != ErrorCode::kInvalidApiKey) return false;
  return parts_.address->look(call.client).remaining > 0;  // key guessing must not cause log reads
}

Status Guards::admit(Guard guard, Call& call, const Identified& identified) const {
  if (identified) {
    const auto admitted = admit_key(call, *identified);
    if (admitted && guard == Guard::kSessionOrKey) call.user = parts_.session->find(call.user_id());
    return admitted;
  }
  switch (guard) {
    case Guard::kNone:
      return kDone;
    case Guard::kOperator:
      return parts_.operators->admit(call);
    case Guard::kAddress:
      return parts_.address->count(*call.exchange, call.client);
    case Guard::kIfGiven:
      return call.user ? admit_session(call) : parts_.address->count(*call.exchange, call.client);
    case Guard::kKey:
    case Guard::kSession:
    case Guard::kSessionOrKey:
      return admit_session(call);
  }
  std::abort();
}

Status Guards::admit_key(Call& call, const Result<KeyGuard::Holder>& found) const {
  if (!found) {
    const bool needs_none = call.request().method == "OPTIONS";
    const auto refused = refuse_stranger(call, found.error());
    const bool is_missing = refused.error().code == ErrorCode::kMissingApiKey;
    return needs_none && is_missing ? Status(kDone) : refused;
  }
  call.holder = *found;
  return parts_.key->admit(*call.exchange, call.client, *call.holder);
}

Status Guards::admit_further(const Call& call, std::uint32_t further) const {
  if (further == 0) return kDone;
  const RateLimiter::Further more(further, !call.forwarded);
  return call.holder ? parts_.key->admit_further(*call.exchange, *call.holder, more)
                     : parts_.session->admit_further(*call.exchange, *call.user, more);
}

Status Guards::admit_session(Call& call) const {
  if (!call.user) return refuse_stranger(call, kUnauthenticated);
  if (const auto shown = is_for(call.request(), call.user->user_id); !shown) {
    return refuse_stranger(call, shown.error());
  }
  return parts_.session->admit(*call.exchange, *call.user);
}

// A request without a user counts for its address.
Status Guards::refuse_stranger(const Call& call, const Error& error) const {
  const auto counted = parts_.address->count(*call.exchange, call.client);
  return counted ? Status(error) : counted;
}

Status Guards::authorize(const Route& route, const Call& call) const {
  if (route.guard == Guard::kOperator) return parts_.operators->authorize(route, call);
  if (call.holder && route.scope && !call.holder->scopes.include(*route.scope)) {
    return lacks_scope(*route.scope);
  }
  const auto& request = call.request();
  if (is_exposed(route, request.method) &&
      is_foreign(request, OwnOrigin::of(request, parts_.trusted_proxies))) {
    return Error{ErrorCode::kForeignOrigin, "The request comes from another site."};
  }
  return kDone;
}

Guards::Preview Guards::preview(const Route& route, const HttpRequest& head) const {
  auto client = client_of(head);
  const auto guard = route.guard;
  if (guard == Guard::kOperator) {
    const bool in_doubt = parts_.lease != nullptr && parts_.operators->may_be_named(head);
    return {!in_doubt && !parts_.operators->would_admit(route, head), std::move(client)};
  }
  const bool foreign = is_exposed(route, head.method) &&
                       is_foreign(head, OwnOrigin::of(head, parts_.trusted_proxies));
  if (foreign) return {true, std::move(client)};
  if (guard == Guard::kNone) return {false, std::move(client)};
  if (guard == Guard::kAddress) return preview_stranger(std::move(client));
  if (guard == Guard::kKey || (guard != Guard::kSession && has_key(head))) {
    return preview_key(route, head, std::move(client));
  }
  const auto user = parts_.session == nullptr ? nullptr : parts_.session->identify(head);
  if (user) return {!parts_.session->would_admit(*user), user->user_id, true};
  if (guard == Guard::kIfGiven) return preview_stranger(std::move(client));
  return {true, std::move(client)};
}

// Another node may know a key that this one does not: its body is read while the doubt lasts.
Guards::Preview Guards::preview_key(const Route& route, const HttpRequest& head,
                                    std::string client) const {
  const auto found = parts_.key->identify(head);
  if (!found) {
    const bool in_doubt = parts_.lease != nullptr &&
                          found.error().code == ErrorCode::kInvalidApiKey &&
                          parts_.address->look(client).remaining > 0;
    return {!in_doubt, std::move(client)};
  }
  const auto& holder = **found;
  const bool lacks = route.scope && !holder.scopes.include(*route.scope);
  return {lacks || !parts_.key->would_admit(client, holder), holder.user_id, true};
}

Guards::Preview Guards::preview_stranger(std::string client) const {
  return {parts_.address->look(client).remaining == 0, std::move(client)};
}

std::string Guards::client_of(const HttpRequest& request) const {
  if (parts_.trusted_proxies.empty()) return request.peer;
  std::vector<std::string> forwarded;
  for (const auto& [name, value] : request.headers) {
    if (name == "x-forwarded-for") forwarded.push_back(value);
  }
  const auto address = client_address(request.peer, forwarded, parts_.trusted_proxies);
  return address ? address->text() : request.peer;
}

std::optional<RateVerdict> Guards::look(const std::string& client) const {
  if (parts_.address == nullptr) return std::nullopt;
  return parts_.address->look(client);
}

}  // namespace tilth
