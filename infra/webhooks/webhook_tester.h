// Sends tests to webhooks and answers what came of them.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/webhooks/webhook_deliveries.h"
#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/webhook_sender.h"

namespace tilth {

// A few tests at a time for each owner, so that one whose receivers are slow leaves room for
// others.
//
// Threads: that of the sender. Nothing is stored.
class WebhookTester {
 public:
  using OnTested = std::shared_ptr<WebhookDeliveries::OnTested>;

  // Both must outlive it.
  WebhookTester(const DeliveryParts& parts, WebhookSender& sender)
      : parts_(parts), sender_(sender) {}

  void send(const std::string& owner, const WebhookId& id, const OnTested& done);

  // Answers `error` to those under way, and to all that come later.
  void end(const Error& error);

 private:
  const DeliveryParts& parts_;
  WebhookSender& sender_;
  std::map<OnTested, std::string> under_way_;  // and their owners
  std::optional<Error> ended_;
};

}  // namespace tilth
