// Sends owners' events to their webhooks: the thread that decides what is sent when.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/webhooks/webhook_deliveries.h"
#include "infra/webhooks/delivery_gauges.h"
#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/delivery_slots.h"
#include "infra/webhooks/delivery_target.h"
#include "infra/webhooks/delivery_writer.h"
#include "infra/webhooks/stream_pages.h"
#include "infra/webhooks/task_inbox.h"
#include "infra/webhooks/watched_owners.h"
#include "infra/webhooks/webhook_sender.h"
#include "infra/webhooks/webhook_tester.h"

namespace tilth {

// Operation: each turn it does what other threads ask for, stores what became of deliveries, then
// sends what is next. What a webhook has missed StreamPages reads; WebhookSender sends.
//
// Threads: one of its own; the public functions from any.
class DeliveryLoop {
 public:
  // Borrowed; must outlive it.
  explicit DeliveryLoop(const DeliveryParts& parts);
  ~DeliveryLoop();

  void begin();
  void stop();

  void on_accepted(const LoggedRecord& logged);

  // Other owners are now its own. Threads: any.
  void send_for_others() {
    others_now_ = true;
    sender_.wake();
  }
  void test(const std::string& owner, const WebhookId& id, const std::optional<Position>& since,
            WebhookDeliveries::OnTested done);
  void tell(Samples& to) const { gauges_.tell(to); }

 private:
  void run(const std::stop_token& stop);

  // Results that must not be lost.
  void post(TaskInbox::Task task);
  // Too many tasks are events, which can be read again. False: it was not taken.
  bool post_if_room(TaskInbox::Task task);

  // Begins to deliver, or stops to, as the nodes have agreed. What another node has stored
  // meanwhile is in the store.
  void take_lead();
  void forget_all();
  void forget_others();

  // Every owner that has webhooks.
  void find_all();
  void find_of(const std::string& owner, const RowReader& state);

  // The owner's webhooks as they are now.
  void refresh(const std::string& name);

  void keep(const std::string& name, DeliveryOwner& owner, const Webhook& row);

  void forget(DeliveryTarget& target);

  void resume(const SharedTarget& target);

  // A new event of an owner.
  void take(const LoggedRecord& logged);

  // `event` is made once for all targets.
  void enqueue(const SharedTarget& target, DeliverySource& source, const LoggedRecord& logged,
               SharedEvent& event);

  // Reads what the source lacks.
  void fill(const SharedTarget& target, DeliverySource& source);

  // A replay whose last event is stored.
  void end_replay(const SharedTarget& target, DeliverySource& source);

  // What the owner has asked for.
  void control(const SharedTarget& target, const LoggedRecord& logged);

  void wake_due();

  // The webhooks take their turns, one request at a time.
  void pump();

  bool begin_one(const SharedTarget& target);

  bool begin_next(const SharedTarget& target);

  bool begin_due(const SharedTarget& target);

  void send_again(DeliveryAttempt attempt, const Result<StreamPages::Page>& page);

  void send(DeliveryAttempt attempt);

  void finish(DeliveryAttempt attempt, WebhookAnswer answer);

  void fail(const SharedTarget& target, DeliveryAttempt& attempt, const WebhookAnswer& answer);

  // What was to be disabled may have been changed by its owner meanwhile.
  void settle_disabling(DeliveryTarget& target);

  void disable(const SharedTarget& target);

  void measure();

  const DeliveryParts& parts_;
  WebhookSender sender_;
  const std::shared_ptr<TaskInbox> inbox_ = std::make_shared<TaskInbox>();
  std::atomic<bool> leading_ = false, missed_ = false, others_now_ = false;
  WatchedOwners watched_;
  DeliveryGauges gauges_;

  // Of the thread.
  DeliveryOwners owners_;
  DeliverySlots slots_;
  DeliveryWriter writer_{parts_};
  WebhookTester tester_{parts_, sender_};
  std::multimap<Timestamp, std::pair<SharedTarget, Uuid>> due_at_;
  std::vector<std::pair<std::chrono::steady_clock::time_point, SharedTarget>> later_;
  bool look_again_ = false;
  std::chrono::steady_clock::time_point next_measure_{};

  StreamPages pages_;  // ends before what its results refer to
  std::jthread thread_;
};

}  // namespace tilth
