// The Idempotency-Key of a request, and what makes two requests the same.

#pragma once

#include <optional>

#include "api/http/http.h"
#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// Null without the header. The key is a UUID, in lower case from here on; the hash covers the
// method, the path with the query, and the body's bytes. kInvalid: the key is not a UUID.
Result<std::optional<Idempotency>> read_idempotency(const HttpRequest& request);

}  // namespace tilth
