#include "infra/oidc/open_id_provider.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <sodium.h>

#include "infra/oidc/id_token.h"

namespace tilth {
namespace {

constexpr std::chrono::hours kHoldsFor{1};
constexpr std::chrono::seconds kFailureHoldsFor{5};

Error silent(std::string what) {
  return {.code = ErrorCode::kUnavailable,
          .message = "The identity provider " + std::move(what) + ".",
          .retry_after_seconds = kFailureHoldsFor.count()};
}

std::string base64(const std::uint8_t* bytes, std::size_t count, int variant) {
  std::string text(sodium_base64_encoded_len(count, variant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes, count, variant);
  text.resize(text.find('\0'));
  return text;
}

// PKCE's S256 (RFC 7636).
std::string challenge_of(const std::string& verifier) {
  std::array<std::uint8_t, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const std::uint8_t*>(verifier.data()),
                     verifier.size());
  return base64(hash.data(), hash.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool lists(const Json& metadata, std::string_view name, std::string_view value) {
  const auto* list = metadata.find(name);
  if (list == nullptr) return false;
  for (const auto& [unnamed, each] : list->children) {
    if (each.text == value) return true;
  }
  return false;
}

std::string parameter(std::string_view name, std::string_view value) {
  return "&" + std::string(name) + "=" + url_encoded(value);
}

// Whether an issuer behind TLS names a page that is not: codes and secrets would be readable.
bool leaves_tls(const Json& metadata, const std::string& issuer) {
  if (!issuer.starts_with("https://")) return false;
  constexpr std::array<std::string_view, 5> kPages = {"authorization_endpoint", "token_endpoint",
                                                      "jwks_uri", "userinfo_endpoint",
                                                      "end_session_endpoint"};
  return std::any_of(kPages.begin(), kPages.end(), [&](std::string_view name) {
    const auto url = text_claim(metadata, name);
    return !url.empty() && !url.starts_with("https://");
  });
}

}  // namespace

Result<Json> OpenIdProvider::ask(FetchRequest request) const {
  request.stopped = &stopped_;
  const auto fetched = fetch(request);
  if (!fetched) return silent("does not answer");
  if (fetched->status != 200) return silent("answers " + std::to_string(fetched->status));
  auto json = parse_json(fetched->body);
  if (!json || json->kind != Json::Kind::kObject) return silent("answers no JSON");
  return json;
}

Result<OpenIdProvider::Shared> OpenIdProvider::discover() const {
  auto base = settings_.issuer;
  if (base.ends_with('/')) base.pop_back();
  auto metadata = ask({base + "/.well-known/openid-configuration"});
  if (!metadata) return metadata.error();
  if (text_claim(*metadata, "issuer") != settings_.issuer) {
    return silent("calls itself otherwise than it is configured");
  }
  if (leaves_tls(*metadata, settings_.issuer)) return silent("names a page without TLS");
  auto keys = ask({text_claim(*metadata, "jwks_uri")});
  if (!keys) return keys.error();
  return std::make_shared<const Discovered>(
      Discovered{std::move(*metadata), std::move(*keys), clock_.now()});
}

Result<OpenIdProvider::Shared> OpenIdProvider::discovered(bool newer) {
  std::unique_lock lock(mutex_);
  const auto now = clock_.now();
  const auto older = newer ? nullptr : discovered_;
  if (older && now.at < older->at.at + kHoldsFor) return older;
  if (attempt_) {
    if (older) return older;
    const auto shared = *attempt_;
    lock.unlock();
    return shared.get();
  }
  // Also if the clock was set back meanwhile.
  if (failure_ && std::chrono::abs(now.at - failure_->at.at) < kFailureHoldsFor) {
    if (older) return older;
    return failure_->error;
  }
  std::promise<Result<Shared>> promise;
  attempt_ = promise.get_future().share();
  lock.unlock();
  auto found = discover();
  lock.lock();
  attempt_.reset();
  failure_.reset();
  if (found) {
    discovered_ = *found;
  } else {
    failure_ = Failure{found.error(), clock_.now()};
  }
  promise.set_value(found);
  return !found && older ? older : found;
}

Result<std::string> OpenIdProvider::authorization_url(const SignInAttempt& attempt) {
  const auto known = discovered();
  if (!known) return known.error();
  auto url = text_claim((*known)->metadata, "authorization_endpoint");
  if (url.empty()) return silent("names no authorization endpoint");
  url.append(url.find('?') == url.npos ? "?" : "&").append("response_type=code");
  url += parameter("client_id", settings_.client_id);
  url += parameter("redirect_uri", attempt.redirect_uri);
  url += parameter("scope", settings_.scopes) + parameter("state", attempt.state);
  url += parameter("nonce", attempt.nonce);
  url += parameter("code_challenge", challenge_of(attempt.verifier));
  return url + "&code_challenge_method=S256";
}

Result<Json> OpenIdProvider::exchange(const Json& metadata, const SignInAttempt& attempt,
                                      const std::string& code) const {
  FetchRequest request{text_claim(metadata, "token_endpoint")};
  request.form = "grant_type=authorization_code" + parameter("code", code) +
                 parameter("redirect_uri", attempt.redirect_uri) +
                 parameter("code_verifier", attempt.verifier);
  constexpr std::string_view kMethods = "token_endpoint_auth_methods_supported";
  const bool by_form =
      settings_.client_secret.empty() ||
      (metadata.find(kMethods) != nullptr && !lists(metadata, kMethods, "client_secret_basic"));
  if (by_form) {
    request.form += parameter("client_id", settings_.client_id);
    if (!settings_.client_secret.empty()) {
      request.form += parameter("client_secret", settings_.client_secret);
    }
  } else {
    const auto pair = url_encoded(settings_.client_id) + ":" + url_encoded(settings_.client_secret);
    const auto text = base64(reinterpret_cast<const std::uint8_t*>(pair.data()), pair.size(),
                             sodium_base64_VARIANT_ORIGINAL);
    request.headers.push_back("Authorization: Basic " + text);
  }
  request.stopped = &stopped_;
  const auto fetched = fetch(request);
  if (!fetched || fetched->status >= 500) return silent("does not take the code just now");
  auto json = parse_json(fetched->body);
  if (fetched->status != 200 || !json) {
    return Error{ErrorCode::kWrongPassword, "The identity provider rejected the code."};
  }
  return json;
}

Result<Json> OpenIdProvider::claims_of(const std::string& id_token, const std::string& nonce) {
  const ExpectedToken expected{settings_.issuer, settings_.client_id, nonce};
  const auto known = discovered();
  if (!known) return known.error();
  auto claims = verified_claims(id_token, (*known)->keys, expected, clock_.now());
  if (claims || claims.error().code != ErrorCode::kNotFound) return claims;
  const auto newer = discovered(true);
  if (!newer) return newer.error();
  claims = verified_claims(id_token, (*newer)->keys, expected, clock_.now());
  if (claims) return claims;
  return Error{ErrorCode::kWrongPassword, claims.error().message};
}

// The claims of the UserInfo endpoint, which must have the same subject (Core, 5.3.2).
Result<Json> OpenIdProvider::user_info(const Json& metadata, const std::string& access_token,
                                       const std::string& subject) const {
  const auto url = text_claim(metadata, "userinfo_endpoint");
  if (url.empty() || access_token.empty()) return Json{Json::Kind::kObject, {}, {}};
  auto claims = ask({url, {}, {"Authorization: Bearer " + access_token}});
  if (claims && text_claim(*claims, "sub") != subject) {
    return Error{ErrorCode::kWrongPassword, "The identity provider speaks of somebody else."};
  }
  return claims;
}

Result<Person> OpenIdProvider::redeem(const SignInAttempt& attempt, const std::string& code) {
  const auto known = discovered();
  if (!known) return known.error();
  const auto tokens = exchange((*known)->metadata, attempt, code);
  if (!tokens) return tokens.error();
  auto claims = claims_of(text_claim(*tokens, "id_token"), attempt.nonce);
  if (!claims) return claims.error();
  const auto subject = text_claim(*claims, "sub");
  if (text_claim(*claims, "email").empty()) {
    auto info = user_info((*known)->metadata, text_claim(*tokens, "access_token"), subject);
    if (!info) return info.error();
    claims = std::move(*info);
  }
  Person person{{settings_.issuer, subject}, text_claim(*claims, "email")};
  const auto* verified = claims->find("email_verified");
  person.email_verified = verified != nullptr && verified->text == "true";
  if (auto name = text_claim(*claims, "name"); !name.empty()) person.name = std::move(name);
  return person;
}

// RP-initiated logout. The client's id stands for an ID token, which is not kept: the provider may
// ask the user whether to sign out.
std::optional<std::string> OpenIdProvider::sign_out_url(const std::string& return_to) {
  const auto known = discovered();
  if (!known) return std::nullopt;
  auto url = text_claim((*known)->metadata, "end_session_endpoint");
  if (url.empty()) return std::nullopt;
  url.append(url.find('?') == url.npos ? "?" : "&");
  url.append("client_id=" + url_encoded(settings_.client_id));
  return url + parameter("post_logout_redirect_uri", return_to);
}

}  // namespace tilth
