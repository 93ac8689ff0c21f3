// Authenticates the caller by the key in the Authorization header.

#pragma once

#include <memory>
#include <string_view>

#include "api/http/http.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// The single token after "Bearer" (any case) and blanks; empty if the header has another form.
std::string_view bearer_token(std::string_view header);

// The holder of the request's key. Errors: kMissingApiKey, kInvalidAuthFormat,
// kInvalidApiKeyFormat, kInvalidApiKey, kExpiredApiKey (docs/api.md, "Errors").
Result<std::shared_ptr<const KeyHolder>> authenticate(const HttpRequest& request,
                                                      const KeyDigest& digest, const KeyRing& ring,
                                                      Timestamp now);

// kInsufficientScope: the error for a key without `scope`.
Error lacks_scope(Scope scope);

}  // namespace tilth
