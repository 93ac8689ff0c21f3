// Sends tests to webhooks and answers what came of them.

#pragma once

#include <memory>
#include <set>
#include <string>

#include "api/webhooks/webhook_deliveries.h"
#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/webhook_sender.h"

namespace tilth {

// Threads: that of the sender. Nothing is stored.
class WebhookTester {
 public:
  using OnTested = std::shared_ptr<WebhookDeliveries::OnTested>;

  // Both must outlive it.
  WebhookTester(const DeliveryParts& parts, WebhookSender& sender)
      : parts_(parts), sender_(sender) {}

  void send(const std::string& owner, const WebhookId& id, const OnTested& done);

  // Answers `error` to those under way.
  void abandon(const Error& error);

 private:
  const DeliveryParts& parts_;
  WebhookSender& sender_;
  std::set<OnTested> under_way_;
};

}  // namespace tilth
