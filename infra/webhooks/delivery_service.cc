#include "infra/webhooks/delivery_service.h"

#include <utility>

#include "api/webhooks/webhook_secret.h"

namespace tilth {

DeliveryService::DeliveryService(Parts parts)
    : parts_(std::move(parts)), loop_(std::make_unique<DeliveryLoop>(parts_)) {}
DeliveryService::~DeliveryService() = default;

void DeliveryService::begin() { loop_->begin(); }
void DeliveryService::stop() { loop_->stop(); }

void DeliveryService::on_accepted(const Event&, const LoggedRecord& logged) {
  loop_->on_accepted(logged);
}

void DeliveryService::send_for_others() { loop_->send_for_others(); }

void DeliveryService::tell(Samples& to) const { loop_->tell(to); }

std::string DeliveryService::secret(const WebhookSecretId& id) const {
  return webhook_secret(parts_.digest, id);
}

WebhookActivity DeliveryService::activity(const WebhookId& id) const {
  return parts_.store.activity(id);
}

Result<WebhookDeliveries::Page> DeliveryService::list(const WebhookId& id,
                                                      const std::optional<DeliveryStatus>& status,
                                                      std::uint64_t skip,
                                                      std::uint64_t limit) const {
  return parts_.store.list(id, status, skip, limit);
}

std::optional<Delivery> DeliveryService::find(const WebhookId& id, const Uuid& delivery) const {
  return parts_.store.find(id, delivery);
}

void DeliveryService::test(const std::string& owner, const WebhookId& id,
                           const std::optional<Position>& since, OnTested done) {
  loop_->test(owner, id, since, std::move(done));
}

}  // namespace tilth
