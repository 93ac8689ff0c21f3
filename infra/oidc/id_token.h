// Verifies the ID tokens of an OpenID Connect provider: the signature and the claims.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// What a valid ID token must contain.
struct ExpectedToken {
  std::string issuer;
  std::string client_id;
  std::string nonce;
};

// The token's claims if one of the provider's public keys (a JWK Set) signed it, and it is for this
// client and this sign-in and has not expired (OpenID Connect Core 1.0, 3.1.3.7).
//
//   kNotFound       no key of the set has the token's key id: the provider may have new keys.
//   kWrongPassword  the token is not valid; the message says why, for operators.
Result<Json> verified_claims(const std::string& token, const Json& keys,
                             const ExpectedToken& expected, Timestamp now);

// The claim if it is a string, else empty.
std::string text_claim(const Json& claims, std::string_view name);

}  // namespace tilth
