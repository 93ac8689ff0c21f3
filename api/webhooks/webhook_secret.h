// The secrets of webhooks, and the signature that receivers verify.

#pragma once

#include <string>
#include <string_view>

#include "api/keys/key_digest.h"
#include "projections/integrations/webhook.h"

namespace tilth {

// "whsec_" and the base64 of 32 bytes, which are derived from the service's secret and the id: they
// are stored nowhere (docs/decisions/0068).
std::string webhook_secret(const KeyDigest& digest, const WebhookSecretId& id);

// The value of webhook-signature, as Standard Webhooks 1.0 says: a signature by the secret in
// force, and by each one that was replaced lately.
std::string webhook_signature(const KeyDigest& digest, const Webhook& webhook, Timestamp now,
                              std::string_view id, std::string_view seconds, std::string_view body);

}  // namespace tilth
