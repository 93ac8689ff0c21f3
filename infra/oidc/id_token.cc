#include "infra/oidc/id_token.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <cjose/cjose.h>
#include <sodium.h>

#include "events/json/codec.h"

namespace tilth {
namespace {

using Jws = std::unique_ptr<cjose_jws_t, decltype(&cjose_jws_release)>;
using Jwk = std::unique_ptr<cjose_jwk_t, decltype(&cjose_jwk_release)>;

// Asymmetric algorithms only: not "none", and no HMAC, which would accept a public key as its
// secret.
constexpr std::array<std::string_view, 9> kAlgorithms = {
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"};

constexpr double kClocksDiffer = 60;  // seconds, at most, between the provider's clock and ours

Error unbelievable(std::string why) {
  return {ErrorCode::kWrongPassword, "The provider's ID token " + std::move(why) + "."};
}

std::string header_of(cjose_jws_t* jws, const char* name) {
  cjose_err failed;
  const auto* text = cjose_header_get(cjose_jws_get_protected(jws), name, &failed);
  return text == nullptr ? std::string() : std::string(text);
}

// The keys that may have signed it: those with this id or, without an id, all of this type.
std::vector<const Json*> candidates(const Json& keys, const std::string& id,
                                    std::string_view algorithm) {
  const std::string kind = algorithm.starts_with("ES") ? "EC" : "RSA";
  std::vector<const Json*> found;
  const auto* list = keys.find("keys");
  if (list == nullptr || list->kind != Json::Kind::kArray) return found;
  for (const auto& [unnamed, key] : list->children) {
    const auto use = text_claim(key, "use");
    if (text_claim(key, "kty") != kind || (!use.empty() && use != "sig")) continue;
    if (id.empty() || text_claim(key, "kid") == id) found.push_back(&key);
  }
  return found;
}

// cjose aborts on some texts that are no base64url (its issue 123).
bool is_base64url(std::string_view text) {
  const bool of_alphabet = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  return of_alphabet && text.size() % 4 != 1;
}

// Whether it has the form of a JWS in its compact serialization (RFC 7515, 7.1).
bool has_three_parts(std::string_view token) {
  for (int dots = 2; dots > 0; --dots) {
    const auto dot = token.find('.');
    if (dot == token.npos || !is_base64url(token.substr(0, dot))) return false;
    token.remove_prefix(dot + 1);
  }
  return is_base64url(token);
}

// The members of a public key alone, as JSON; empty if one of them is malformed.
std::string public_part(const Json& key) {
  auto part = Json::object();
  for (const auto* name : {"kty", "crv", "n", "e", "x", "y"}) {
    const auto* value = key.find(name);
    if (value == nullptr) continue;
    const bool is_number = std::strlen(name) == 1;
    if (is_number && !is_base64url(text_claim(key, name))) return {};
    part.add(name, *value);
  }
  return text_of(part);
}

bool signed_by(cjose_jws_t* jws, const Json& key) {
  const auto text = public_part(key);
  cjose_err failed;
  const Jwk jwk(cjose_jwk_import(text.data(), text.size(), &failed), cjose_jwk_release);
  return jwk && cjose_jws_verify(jws, jwk.get(), &failed);
}

bool is_for(const Json& claims, const std::string& client_id) {
  const auto* audience = claims.find("aud");
  if (audience == nullptr) return false;
  if (claims.find("azp") != nullptr && text_claim(claims, "azp") != client_id) return false;
  if (audience->kind == Json::Kind::kString) return audience->text == client_id;
  const auto& all = audience->children;
  const bool among = std::any_of(all.begin(), all.end(),
                                 [&](const auto& each) { return each.second.text == client_id; });
  return among && (all.size() == 1 || text_claim(claims, "azp") == client_id);
}

// The instant of a claim in seconds since 1970; null if it is not a number.
std::optional<double> instant_claim(const Json& claims, std::string_view name) {
  const auto* claim = claims.find(name);
  if (claim == nullptr || claim->kind != Json::Kind::kNumber) return std::nullopt;
  return read_double(claim->text);
}

double seconds_of(Timestamp at) {
  return std::chrono::duration<double>(at.at.time_since_epoch()).count();
}

bool is_over(const Json& claims, Timestamp now) {
  const auto end = instant_claim(claims, "exp");
  return !end || seconds_of(now) >= *end;
}

bool has_begun(const Json& claims, Timestamp now) {
  if (claims.find("nbf") == nullptr) return true;
  const auto begin = instant_claim(claims, "nbf");
  return begin && *begin <= seconds_of(now) + kClocksDiffer;
}

// Whether the header names extensions that a recipient must understand; we know none (RFC 7515,
// 4.1.11). The library returns only members of some types.
bool has_critical_extension(const std::string& token) {
  const auto encoded = std::string_view(token).substr(0, token.find('.'));
  std::string header(encoded.size(), '\0');
  std::size_t size = 0;
  const int decoded = sodium_base642bin(reinterpret_cast<unsigned char*>(header.data()),
                                        header.size(), encoded.data(), encoded.size(), nullptr,
                                        &size, nullptr, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  header.resize(size);
  const auto members = parse_json(header);
  return decoded != 0 || !members || members->find("crit") != nullptr;
}

}  // namespace

std::string text_claim(const Json& claims, std::string_view name) {
  const auto* claim = claims.find(name);
  return claim != nullptr && claim->kind == Json::Kind::kString ? claim->text : std::string();
}

Result<Json> verified_claims(const std::string& token, const Json& keys,
                             const ExpectedToken& expected, Timestamp now) {
  if (!has_three_parts(token)) return unbelievable("is no signed token");
  cjose_err failed;
  const Jws jws(cjose_jws_import(token.data(), token.size(), &failed), cjose_jws_release);
  if (!jws) return unbelievable("is no signed token");
  const auto algorithm = header_of(jws.get(), "alg");
  if (std::find(kAlgorithms.begin(), kAlgorithms.end(), algorithm) == kAlgorithms.end()) {
    return unbelievable("is signed by " + algorithm);
  }
  if (has_critical_extension(token)) return unbelievable("has an extension that is unknown");
  const auto id = header_of(jws.get(), "kid");
  const auto may_be = candidates(keys, id, algorithm);
  if (may_be.empty()) return Error{ErrorCode::kNotFound, "The provider has no key " + id + "."};
  const bool is_signed = std::any_of(may_be.begin(), may_be.end(),
                                     [&](const auto* key) { return signed_by(jws.get(), *key); });
  if (!is_signed) return unbelievable("has a wrong signature");
  std::uint8_t* text = nullptr;
  std::size_t size = 0;
  if (!cjose_jws_get_plaintext(jws.get(), &text, &size, &failed)) return unbelievable("is empty");
  auto claims = parse_json({reinterpret_cast<const char*>(text), size});
  if (!claims || claims->kind != Json::Kind::kObject) return unbelievable("has no claims");
  if (text_claim(*claims, "iss") != expected.issuer) return unbelievable("is of another issuer");
  if (!is_for(*claims, expected.client_id)) return unbelievable("is for another client");
  if (text_claim(*claims, "nonce") != expected.nonce) return unbelievable("is of another sign-in");
  if (is_over(*claims, now)) return unbelievable("has expired");
  if (!has_begun(*claims, now)) return unbelievable("is not valid yet");
  const auto subject = text_claim(*claims, "sub");
  if (subject.empty() || subject.find('\0') != subject.npos) return unbelievable("names no one");
  return claims;
}

}  // namespace tilth
