// What events do to a webhook, member by member in JSON: without the code that folds them.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "events/values/time.h"

namespace tilth::testing {

using WebhookMembers = std::map<std::string, std::string, std::less<>>;  // JSON, by name

// Adds what a new webhook has besides the members of its event, which is the stream's at `version`.
void begin_webhook(WebhookMembers& webhook, std::uint64_t version);

// An event besides its creation and removal: `what` is the last part of its type, and `members` are
// its own. The members of an amendment have been taken over. Whether it is a change of the webhook.
bool follow_webhook(WebhookMembers& webhook, std::string_view what, const WebhookMembers& members,
                    std::uint64_t version, Timestamp at);

}  // namespace tilth::testing
