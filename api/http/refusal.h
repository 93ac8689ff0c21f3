// The only place where an Error becomes an HTTP answer: {error, code, message, details}.

#pragma once

#include "api/http/http.h"
#include "events/log/request.h"
#include "events/values/result.h"

namespace tilth {

HttpResponse refusal(const Error& error);

// This node does not have the role that it takes; a proxy can ask another one.
Error not_done_here(std::string_view role);

// The projections have not read yet what the log held at the start.
Error unready();

// What is asked depends on a projection that stands still, and would be answered as it was before.
Error stands_still();

// What is asked stands in rows that are damaged.
Error unreadable();

// A refusal that was kept, answered again: the same bytes as the first time.
HttpResponse refusal(const RequestRefused& refused);

// What the server itself says no to, before there is a request.
HttpResponse protocol_refusal(int status, std::string_view reason);

}  // namespace tilth
