#include "infra/webhooks/signed_post.h"

#include <chrono>
#include <utility>

#include "api/webhooks/webhook_secret.h"

namespace tilth {

WebhookPost signed_post(const DeliveryParts& parts, const Webhook& webhook, const std::string& id,
                        std::shared_ptr<const std::string> body) {
  const auto seconds = std::to_string(
      std::chrono::duration_cast<std::chrono::seconds>(parts.wall_clock.now().at.time_since_epoch())
          .count());
  auto signature = webhook_signature(parts.digest, webhook, parts.clock.now(), id, seconds, *body);
  return {.url = webhook.details.url.address,
          .headers = {"content-type: application/cloudevents+json", "accept: */*",
                      "user-agent: Tilth-Webhooks/1", "webhook-id: " + id,
                      "webhook-timestamp: " + seconds, "webhook-signature: " + signature},
          .body = std::move(body)};
}

}  // namespace tilth
