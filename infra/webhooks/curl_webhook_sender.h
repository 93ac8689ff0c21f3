// Sends POST requests to receivers that are not trusted.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "api/webhooks/webhook_url.h"
#include "infra/webhooks/webhook_sender.h"

namespace tilth {

// Operation: many requests at once on one thread that never blocks. Each connection is opened only
// to an address that is public, which is checked on the very address, whatever the name resolved to
// a moment ago. Redirects are not followed, certificates are verified, proxies and other settings
// of the environment are ignored, and of an answer only the beginning is read.
//
// Threads: as the port says.
class CurlWebhookSender final : public WebhookSender {
 public:
  struct Limits {
    std::chrono::milliseconds timeout{10'000};  // for the whole answer
    std::size_t most_bytes = 64 << 10;          // of an answer's head, and of its body
    std::size_t shown_bytes = 1'000;
    std::vector<std::string> resolved = {};  // "HOST:PORT:ADDRESS,…" instead of asking for it
  };

  explicit CurlWebhookSender(const WebhookSafety& safety) : CurlWebhookSender(safety, Limits{}) {}
  CurlWebhookSender(const WebhookSafety& safety, const Limits& limits);
  ~CurlWebhookSender() override;  // requests in flight are abandoned

  void send(WebhookPost post, OnAnswered done) override;
  void turn(std::chrono::milliseconds timeout) override;
  void wake() override;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
