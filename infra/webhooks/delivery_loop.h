// Sends owners' events to their webhooks: decides what is sent, when, and when again.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
// sends what is next. What a webhook has missed StreamPages reads; WebhookSender sends. It never
// waits, and knows no time but that of its parts.
//
// Threads: turn() and end() from one, which is also that of the sender; all else from any.
class DeliveryLoop {
 public:
  // Borrowed; must outlive it. `pages` may end before it, once nothing calls turn() any more.
  DeliveryLoop(const DeliveryParts& parts, WebhookSender& sender, StreamPages& pages);

  // Does what there is to do. Returns for how long the sender may wait for more.
  std::chrono::milliseconds turn();

  // Stores what is not stored yet, and answers tests that are under way. The last call.
  void end();

  void on_accepted(const LoggedRecord& logged);

  // Other owners are now its own. Threads: any.
  void send_for_others() {
    others_now_ = true;
    sender_.wake();
  }
  void test(const std::string& owner, const WebhookId& id, const std::optional<Position>& since,
            WebhookDeliveries::OnTested done);
  // Answers tests under way, and refuses those that come later. Threads: any.
  void end_tests();
  void report(Samples& to) const { gauges_.report(to); }

 private:
  // Results that must not be lost.
  void post(TaskInbox::Task task);
  // Too many tasks are events, which can be read again. False: it was not taken.
  bool post_if_room(TaskInbox::Task task);

  // Begins to deliver, or stops to, as the nodes have agreed. What another node has stored
  // meanwhile is in the store.
  void take_lead();
  void forget_all();
  void forget_others();

  // Every owner that has webhooks, and those that had some.
  void find_all();
  void refresh_known();
  void find_of(const std::string& owner, const RowReader& state);

  // The owner's webhooks as they are now.
  void refresh(const std::string& name);

  void keep(const std::string& name, DeliveryOwner& owner, const Webhook& row);

  void forget(DeliveryTarget& target);

  // Forgets what is stored of webhooks that were removed, which the process or the node that led
  // before did not do any more.
  void forget_removed();
  bool was_removed(const WebhookId& id, const DeliveryStore::Progress& progress) const;

  void resume(const SharedTarget& target);

  // A new event of an owner.
  void take(const LoggedRecord& logged);

  // `event` is made once for all targets. False: the store cannot be read now, and nothing was
  // taken.
  bool enqueue(const SharedTarget& target, DeliverySource& source, const LoggedRecord& logged,
               SharedEvent& event);

  // Reads what the source lacks.
  void fill(const SharedTarget& target, DeliverySource& source);

  // Carries on with the oldest replay, after erasing those that have ended. One at a time, so that
  // what is in memory does not grow with their number.
  void fill_replay(const SharedTarget& target);
  void fill_more(const SharedTarget& target, DeliverySource& source);

  // What the owner has asked for. False: the store cannot be read now.
  bool control(const SharedTarget& target, const LoggedRecord& logged);

  void wake_due();

  // The webhooks take their turns, one request at a time.
  void pump();

  bool begin_one(const SharedTarget& target);

  bool begin_next(const SharedTarget& target);

  bool begin_due(const SharedTarget& target);

  // A pending delivery is settled.
  void settled(const SharedTarget& target);

  void send_again(DeliveryAttempt attempt, const Result<StreamPages::Page>& page);

  void send(DeliveryAttempt attempt);

  void finish(DeliveryAttempt attempt, WebhookAnswer answer);

  void fail(const SharedTarget& target, DeliveryAttempt& attempt, const WebhookAnswer& answer);

  // What was to be disabled may have been changed by its owner meanwhile.
  void settle_disabling(DeliveryTarget& target);

  void disable(const SharedTarget& target);

  void measure();

  const DeliveryParts& parts_;
  WebhookSender& sender_;
  StreamPages& pages_;
  const std::shared_ptr<TaskInbox> inbox_ = std::make_shared<TaskInbox>();
  std::atomic<bool> leading_ = false, missed_ = false, others_now_ = false;
  WatchedOwners watched_;
  DeliveryGauges gauges_{parts_.steady};

  // Of the thread that turns.
  DeliveryOwners owners_;
  DeliverySlots slots_;
  DeliveryWriter writer_{parts_};
  WebhookTester tester_{parts_, sender_};
  std::multimap<Timestamp, std::pair<SharedTarget, Uuid>> due_at_;
  std::vector<std::pair<std::chrono::steady_clock::time_point, SharedTarget>> later_;
  bool look_again_ = false, forget_removed_ = false;
  std::chrono::steady_clock::time_point next_measure_{};
};

}  // namespace tilth
