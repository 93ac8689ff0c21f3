// Whether an OpenID Connect provider really says so: the signature of an ID token, and the claims
// that make it one for us.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// What an ID token must say to be believed.
struct ExpectedToken {
  std::string issuer;
  std::string client_id;
  std::string nonce;
};

// The token's claims, if one of the provider's public keys (a JWK Set) signed it, and it is for us,
// for this sign-in, and not over (OpenID Connect Core 1.0, 3.1.3.7).
//
//   kNotFound       no key of the set has the token's key id: the provider may have new ones.
//   kWrongPassword  it is not to be believed; the message says why, for operators.
Result<Json> verified_claims(const std::string& token, const Json& keys,
                             const ExpectedToken& expected, Timestamp now);

// A claim that is text; empty without one.
std::string text_claim(const Json& claims, std::string_view name);

}  // namespace tilth
