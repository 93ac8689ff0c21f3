#include "infra/webhooks/delivery_service.h"

#include <utility>

#include "api/platform/thread_name.h"
#include "api/webhooks/webhook_secret.h"

namespace tilth {

DeliveryService::DeliveryService(Parts parts)
    : parts_(std::move(parts)),
      sender_(parts_.safety),
      pages_(std::make_unique<StreamPagesThread>(parts_.log, parts_.index)),
      loop_(parts_, sender_, *pages_) {}

// What is still being read is told to the loop.
DeliveryService::~DeliveryService() {
  stop();
  pages_.reset();
}

void DeliveryService::begin() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DeliveryService::end_tests() { loop_.end_tests(); }

void DeliveryService::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  sender_.wake();
  thread_.join();
}

void DeliveryService::run(const std::stop_token& stop) {
  name_thread("webhooks");
  while (!stop.stop_requested()) sender_.turn(loop_.turn());
  loop_.end();
}

void DeliveryService::on_accepted(const Event&, const LoggedRecord& logged) {
  loop_.on_accepted(logged);
}

void DeliveryService::send_for_others() { loop_.send_for_others(); }

void DeliveryService::report(Samples& to) const { loop_.report(to); }

std::string DeliveryService::secret(const WebhookSecretId& id) const {
  return webhook_secret(parts_.digest, id);
}

WebhookActivity DeliveryService::activity(const WebhookId& id) const {
  return parts_.store.activity(id);
}

Result<WebhookReplays> DeliveryService::replays(const WebhookId& id) const {
  return parts_.store.replays(id);
}

Result<WebhookDeliveries::Page> DeliveryService::list(const WebhookId& id,
                                                      const Listing& listing) const {
  return parts_.store.list(id, listing);
}

Result<std::optional<Delivery>> DeliveryService::find(const WebhookId& id,
                                                      const Uuid& delivery) const {
  return parts_.store.find(id, delivery);
}

void DeliveryService::test(const std::string& owner, const WebhookId& id,
                           const std::optional<Position>& since, OnTested done) {
  loop_.test(owner, id, since, std::move(done));
}

}  // namespace tilth
