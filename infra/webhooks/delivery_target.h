// A webhook while its events are sent: where it is in its owner's stream, and what it waits for.

#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/integrations/webhook.h"
#include "events/log/event_record.h"
#include "infra/webhooks/delivery_store.h"
#include "projections/integrations/webhook.h"

namespace tilth {

// An event as it is sent.
struct SentEvent {
  std::uint64_t version = 0;
  std::string id, type;
  Timestamp time = {};
  std::shared_ptr<const std::string> body;
  std::string traceparent = {};
};
using SharedEvent = std::shared_ptr<const SentEvent>;

SharedEvent event_to_send(const LoggedRecord& logged);

// A part of an owner's stream on its way to one webhook.
struct DeliverySource {
  static constexpr std::size_t kMostQueued = 64, kMostBytes = 1 << 20;  // a page may exceed these

  std::optional<DeliveryStore::Replay> replay = {};  // null: the events as they come
  std::uint64_t position = 0;                        // the next to be queued
  std::deque<SharedEvent> queue = {};
  std::size_t queued_bytes = 0;
  std::set<std::uint64_t> open = {};  // queued or being sent
  bool reading = false;

  void push(const SharedEvent& event) {
    open.insert(event->version);
    queue.push_back(event);
    queued_bytes += event->body->size();
  }
  SharedEvent pop() {
    auto event = std::move(queue.front());
    queue.pop_front();
    queued_bytes -= event->body->size();
    return event;
  }
  bool has_room_for(std::size_t events) const {
    return queue.size() + events <= kMostQueued && queued_bytes < kMostBytes;
  }

  // Everything before it is stored.
  std::uint64_t place() const { return open.empty() ? position : *open.begin(); }

  // A replay: all its events are stored.
  bool has_ended() const {
    return !reading && open.empty() && position >= static_cast<std::uint64_t>(replay->end_version);
  }
};

struct DeliveryTarget {
  std::string owner;
  Webhook row;
  DeliveryStore::Progress progress = {};
  std::list<DeliverySource> sources = {};  // the first has no replay; only the next one is filled
  std::deque<Uuid> due = {};               // pending deliveries
  std::set<Uuid> tried = {};               // those with an attempt under way
  std::uint64_t pending = 0, kept = 0;
  std::size_t in_flight = 0, window = 1;
  bool fast = false;
  bool retries_next = false;
  bool runnable = false;  // in a queue
  bool dirty = false;
  bool gone = false;
  bool asked = false;  // to be disabled

  bool may_send() const { return !gone && row.details.is_active && !progress.disabling; }
};
using SharedTarget = std::shared_ptr<DeliveryTarget>;

struct DeliveryOwner {
  std::uint64_t end = 0;  // of the stream
  std::vector<SharedTarget> targets = {};
};
using DeliveryOwners = std::map<std::string, DeliveryOwner>;

// One delivery that is being sent.
struct DeliveryAttempt {
  SharedTarget target;
  DeliverySource* source = nullptr;  // null: it was pending. Stays while it has an open event
  Delivery delivery;
  SharedEvent event;
  bool unproven = false;
  Timestamp seen = {};  // the state of the webhook
};

}  // namespace tilth
