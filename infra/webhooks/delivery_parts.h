// What the delivery of events to webhooks is made of.

#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/keys/key_digest.h"
#include "api/webhooks/webhook_url.h"
#include "command/loop/cells.h"
#include "events/values/ids.h"
#include "infra/log_lines/log_lines.h"
#include "infra/webhooks/delivery_sharing.h"
#include "infra/webhooks/delivery_store.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Borrowed; must outlive what uses it.
struct DeliveryParts {
  DeliveryStore& store;
  CommandLoop& access;
  Cells& registry;
  EventLog& log;
  StreamIndex& index;
  const KeyDigest& digest;
  const Clock& clock;       // of everything that is due
  const Clock& wall_clock;  // of signatures, which receivers compare with theirs
  const IdSource& ids;
  std::function<double()> random;  // from 0 to 1
  WebhookSafety safety;
  std::string source;    // of the events that it makes itself
  bool delivers = true;  // false: this node only sends tests
  // Where several nodes share a log: which of them delivers, and what it stores. Null: this node.
  DeliverySharing* sharing = nullptr;
  // Whether this node is the one that sends to that owner's webhooks, while it delivers.
  std::function<bool(const std::string& owner)> sends_for = [](const auto&) { return true; };
  LogLines& log_lines;
  std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
};

}  // namespace tilth
