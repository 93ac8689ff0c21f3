// The webhooks of a node: what was sent is stored, shared with the other nodes, and sent again.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/node/node_logs.h"
#include "infra/config/config.h"
#include "infra/node/backup.h"
#include "infra/system/clock.h"
#include "infra/system/random.h"
#include "infra/webhooks/delivery_service.h"
#include "infra/webhooks/delivery_sharing_thread.h"
#include "infra/webhooks/delivery_store.h"

namespace tilth {

// Threads: one opens, begins and stops it; the service has its own.
class NodeWebhooks {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    const Config& config;
    const NodeLogs& logs;
    std::string node;
    const RocksMemory& memory;
    CommandLoop& access;
    Cells& registry;
    StreamIndex& index;
    const KeyDigest& digest;
    // Whether this node is the one that sends to that owner's webhooks.
    std::function<bool(const std::string& owner)> sends_for;
    RisingRandom& random;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log_lines;
  };

  // Nothing is sent before service().begin(). kDamaged says what to do about a store that cannot be
  // read.
  static Result<std::unique_ptr<NodeWebhooks>> open(const Parts& parts);

  DeliveryService& service() { return *service_; }
  // Of a node that shares nothing: others have what was sent in their log.
  BackedUp backed_up() const;

 private:
  NodeWebhooks(const Parts& parts, std::unique_ptr<DeliveryStore> store);

  const SystemClock signing_clock_;
  const std::unique_ptr<DeliveryStore> store_;
  std::unique_ptr<DeliverySharing> sharing_;  // null: this node is alone
  std::unique_ptr<DeliverySharingThread> sharing_thread_;
  std::unique_ptr<DeliveryService> service_;
};

}  // namespace tilth
