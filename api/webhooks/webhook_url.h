// Where a webhook may lead.

#pragma once

#include <string>

#include "events/values/url.h"

namespace tilth {

// What an installation allows besides https to the public internet.
struct WebhookSafety {
  bool allow_http = false;
  bool allow_private = false;
};

// What is wrong with the URL of a webhook, for its owner; empty: nothing. A name is not resolved:
// it may lead elsewhere by the time that it is connected to, which is when addresses are checked.
std::string problem_of(const Url& url, const WebhookSafety& safety);

}  // namespace tilth
