// Sends owners' events to their webhooks.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "api/webhooks/webhook_deliveries.h"
#include "infra/metrics/metrics.h"
#include "infra/webhooks/curl_webhook_sender.h"
#include "infra/webhooks/delivery_loop.h"
#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/stream_pages_thread.h"

namespace tilth {

// Operation: follows the streams of the owners that have webhooks. An event that an owner's change
// has just recorded is sent from memory; what a webhook has missed is read from the log. Each
// webhook has its own place in the stream, its own few requests at a time, and its own pending
// deliveries, so one that is slow or dead delays no other. A webhook that has not proven fast has
// one request at a time, and all of these together leave room for the others.
//
// Threads: one of its own, which never waits for a receiver, a disk of the log or a command; and
// that of StreamPagesThread. on_accepted() and the functions of the port from any.
//
// Crash: what a webhook got is stored after its answer, so an event may be sent again, and none is
// skipped.
class DeliveryService final : public WebhookDeliveries {
 public:
  using Parts = DeliveryParts;

  explicit DeliveryService(Parts parts);
  ~DeliveryService() override;

  // Begins to send. Call it once the registry has caught up.
  void begin();
  // Answers tests under way, which may take longer than a server that stops waits, and refuses
  // later ones.
  void end_tests();
  void stop();

  // Other owners are now those for which DeliveryParts::sends_for() is true.
  void send_for_others();

  // To be called for each event that the registry has folded, those of an owner in their order.
  void on_accepted(const Event& event, const LoggedRecord& logged);

  void report(Samples& to) const;

  const WebhookSafety& safety() const override { return parts_.safety; }
  std::string secret(const WebhookSecretId& id) const override;
  WebhookActivity activity(const WebhookId& id) const override;
  Result<WebhookReplays> replays(const WebhookId& id) const override;
  Result<Page> list(const WebhookId& id, const Listing& listing) const override;
  Result<std::optional<Delivery>> find(const WebhookId& id, const Uuid& delivery) const override;
  void test(const std::string& owner, const WebhookId& id, const std::optional<Position>& since,
            OnTested done) override;

 private:
  void run(const std::stop_token& stop);

  const Parts parts_;
  CurlWebhookSender sender_;
  std::unique_ptr<StreamPagesThread> pages_;
  DeliveryLoop loop_;
  std::jthread thread_;
};

}  // namespace tilth
