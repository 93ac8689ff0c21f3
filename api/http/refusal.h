// The only code that turns an Error into an HTTP response: {error, code, message, details}.

#pragma once

#include <string_view>

#include "api/http/http.h"
#include "events/log/request.h"
#include "events/values/result.h"

namespace tilth {

HttpResponse refusal(const Error& error);

// What every refusal with that status has as its `error`: "Not Found".
std::string_view error_name(int status);

// This node does not have the role required; a proxy can try another node.
Error lacks_role(std::string_view role);

// The projections have not yet read what the log held at startup.
Error not_ready();

// The response depends on a projection that has stopped, and would be stale.
Error read_model_lags();

// The rows needed are damaged.
Error rows_unreadable();

// A stored refusal, sent again: the same bytes as the first time.
HttpResponse refusal(const RequestRefused& refused);

// 424 for a request of a batch that was not begun: NOT_ATTEMPTED or FAILED_DEPENDENCY.
HttpResponse not_begun_in_batch(std::string_view code, std::string_view message);

// A refusal by the server itself, before there is a request.
HttpResponse protocol_refusal(int status, std::string_view reason);

}  // namespace tilth
