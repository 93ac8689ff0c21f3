// An event as the request that a webhook gets, signed as Standard Webhooks says.

#pragma once

#include <memory>
#include <string>

#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/webhook_sender.h"
#include "projections/integrations/webhook.h"

namespace tilth {

WebhookPost signed_post(const DeliveryParts& parts, const Webhook& webhook, const std::string& id,
                        std::shared_ptr<const std::string> body);

}  // namespace tilth
