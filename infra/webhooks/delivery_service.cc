#include "infra/webhooks/delivery_service.h"

#include <algorithm>
#include <deque>
#include <list>
#include <set>
#include <utility>

#include "api/v1/history/event_line.h"
#include "api/webhooks/webhook_secret.h"
#include "command/integrations/webhook.h"
#include "events/json/json_writer.h"
#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "infra/webhooks/retry_schedule.h"
#include "infra/webhooks/stream_pages.h"
#include "projections/access/user.h"
#include "query/integrations/webhook.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostAtOnce = 128;    // requests
constexpr std::size_t kMostUnproven = 96;   // of these, to webhooks that have not proven fast
constexpr std::size_t kMostOfWebhook = 16;  // of these, to one
constexpr std::size_t kMostTests = 32;
constexpr std::size_t kQueued = 64;  // events of a webhook in memory
constexpr std::size_t kMostInbox = 10'000;
constexpr std::uint64_t kMostPending = 10'000, kMostKept = 10'000, kKeptAfterTrim = 9'900;
constexpr std::chrono::hours kKept = 24h * 30;
constexpr auto kFast = 1s;
constexpr std::chrono::milliseconds kLooksAgain = 250ms, kTellsAgain = 1s, kTrimsAgain = 10s,
                                    kAfterTrouble = 1s;
constexpr auto kStoresPlaces = 500ms;
constexpr auto kResharesAgain = 24h;
constexpr std::string_view kOwnEvents = "tilth.webhook.";
constexpr std::string_view kActor = "webhooks";

bool fits(const std::vector<std::string>& types, std::string_view type) {
  return std::any_of(types.begin(), types.end(),
                     [&](const auto& pattern) { return matches_pattern(pattern, type); });
}

bool is_control(std::string_view type) {
  return type == WebhookResendRequested::kType.name || type == WebhookReplayRequested::kType.name;
}

// A view of rows does not know the version of its stream.
std::uint64_t version_of(const Rows& rows) {
  const auto stored = rows.own(rows.own_key('v'));
  return stored ? std::stoull(*stored) : 0;
}

// An event as it is sent.
struct SentEvent {
  std::uint64_t version = 0;
  std::string id, type;
  Timestamp time = {};
  std::shared_ptr<const std::string> body;
  std::string traceparent = {};
};
using SharedEvent = std::shared_ptr<const SentEvent>;

SharedEvent event_to_send(const LoggedRecord& logged) {
  const auto& envelope = logged.record.envelope;
  return std::make_shared<const SentEvent>(
      SentEvent{envelope.stream_version, envelope.id, envelope.type, envelope.time,
                std::make_shared<const std::string>(own_event(logged)), envelope.traceparent});
}

// A part of an owner's stream on its way to one webhook.
struct Source {
  std::optional<DeliveryStore::Replay> replay = {};  // null: the events as they come
  std::uint64_t position = 0;                        // the next to be queued
  std::deque<SharedEvent> queue = {};
  std::set<std::uint64_t> open = {};  // queued or being sent
  bool reading = false;

  // Everything before it is stored.
  std::uint64_t place() const { return open.empty() ? position : *open.begin(); }
};

struct Target {
  std::string owner;
  Webhook row;
  DeliveryStore::Progress progress = {};
  std::list<Source> sources = {};  // the first has no replay
  std::deque<Uuid> due = {};       // pending deliveries
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
using SharedTarget = std::shared_ptr<Target>;

struct Owner {
  std::uint64_t end = 0;  // of the stream
  std::vector<SharedTarget> targets = {};
};

// One delivery that is being sent.
struct Attempt {
  SharedTarget target;
  Source* source = nullptr;  // null: it was pending. Stays while it has an open event
  Delivery delivery;
  SharedEvent event;
  bool unproven = false;
  Timestamp seen = {};  // the state of the webhook
};

}  // namespace

class DeliveryService::Loop {
 public:
  explicit Loop(const Parts& parts)
      : parts_(parts), sender_(parts.safety), pages_(parts.log, parts.index) {}

  ~Loop() { stop(); }

  void begin() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    sender_.wake();
    thread_.join();
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->closed = true;
    mailbox_->tasks.clear();
    for (const auto& done : tests_) (*done)(ending());
  }

  void on_accepted(const LoggedRecord& logged) {
    if (!leading_) return;
    const auto& [stream, envelope, json, event, foreign] = logged.record;
    const bool about_webhooks = envelope.type.starts_with(kOwnEvents);
    if (!about_webhooks && watching_ == 0) return;
    {
      const std::lock_guard lock(watched_mutex_);
      if (about_webhooks) {
        watching_ += watched_.insert(stream).second ? 1 : 0;
      } else if (!watched_.contains(stream)) {
        return;
      }
    }
    post([this, about_webhooks, logged] {
      if (about_webhooks) refresh(logged.record.stream);
      take(logged);
    });
  }

  void test(const std::string& owner, const WebhookId& id, OnTested done) {
    auto shared = std::make_shared<OnTested>(std::move(done));
    if (!post([this, owner, id, shared] { send_test(owner, id, shared); })) (*shared)(ending());
  }

  void tell(Samples& to) const {
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      to.counter("tilth_webhook_attempts_total", "Attempts to send an event to a webhook.",
                 {{"outcome", std::string(name_of(static_cast<AttemptOutcome>(i)))}},
                 static_cast<double>(outcomes_.at(i)));
    }
    const auto gauge = [&](std::string_view name, std::string_view help, std::string_view state,
                           double value) {
      to.gauge(name, help, {{"state", std::string(state)}}, value);
    };
    constexpr std::string_view kBacklog = "tilth_webhook_backlog",
                               kBacklogHelp = "Events that webhooks have not got yet.",
                               kOldest = "tilth_webhook_oldest_seconds",
                               kOldestHelp = "How long the oldest of these has waited.";
    gauge(kBacklog, kBacklogHelp, "due", static_cast<double>(backlog_due_));
    gauge(kBacklog, kBacklogHelp, "retry", static_cast<double>(backlog_retry_));
    // A thread that is stuck does not say so itself.
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(
        Steady::now().time_since_epoch() - std::chrono::milliseconds(told_at_.load()));
    const auto stuck = backlog_due_ > 0 && silent > 2s ? silent.count() : 0;
    gauge(kOldest, kOldestHelp, "due", static_cast<double>(oldest_due_ + stuck));
    gauge(kOldest, kOldestHelp, "retry", static_cast<double>(oldest_retry_));
    to.gauge("tilth_webhooks", "Webhooks that there are.", {}, static_cast<double>(webhooks_));
  }

 private:
  struct Mailbox {
    std::mutex mutex;
    bool closed = false;
    std::vector<std::function<void()>> tasks;
  };

  static Error ending() {
    return {
        .code = ErrorCode::kUnavailable, .message = "The service ends.", .retry_after_seconds = 1};
  }

  // Threads: any. Too many tasks are events, which can be read again.
  bool post(std::function<void()> task) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      if (mailbox_->closed) return false;
      if (mailbox_->tasks.size() >= kMostInbox) {
        missed_ = true;
        return false;
      }
      mailbox_->tasks.push_back(std::move(task));
    }
    sender_.wake();
    return true;
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      take_lead();
      std::vector<std::function<void()>> tasks;
      {
        const std::lock_guard lock(mailbox_->mutex);
        tasks.swap(mailbox_->tasks);
      }
      for (const auto& task : tasks) task();
      if (missed_.exchange(false)) look_again_ = true;
      if (look_again_) find_all();
      store();  // what is due is read from it
      wake_due();
      pump();
      now_and_then();
      sender_.turn(tasks.empty() ? std::chrono::milliseconds(kLooksAgain) : 0ms);
    }
    store();
  }

  // Begins to deliver, or stops to, as the nodes have agreed. What another node has stored
  // meanwhile is in the store.
  void take_lead() {
    const bool leads = parts_.delivers && (parts_.sharing == nullptr || parts_.sharing->leads());
    if (leads == leading_) return;
    if (leads) {
      leading_ = true;
      next_reshare_ = Steady::now();
      return find_all();
    }
    leading_ = false;
    for (auto& [name, owner] : owners_) {
      for (const auto& target : owner.targets) target->gone = true;
    }
    owners_.clear(), runnable_.clear(), waiting_.clear(), due_at_.clear(), later_.clear();
    batch_.clear();
    webhooks_ = backlog_due_ = backlog_retry_ = 0;
    oldest_due_ = oldest_retry_ = 0;
    const std::lock_guard lock(watched_mutex_);
    watched_.clear();
    watching_ = 0;
  }

  // The log of what was stored forgets: from time to time it is told again what still waits.
  void reshare(Target& target) {
    target.dirty = true;
    const auto known = parts_.store.load(target.row.id);
    if (!known) return;
    for (const auto& delivery : known->pending) batch_.put(target.row.id, delivery);
  }

  // Every owner that has webhooks.
  void find_all() {
    look_again_ = false;
    if (!leading_) return;
    try {
      const auto access = parts_.access.projector().view(std::string(kAccessStream));
      const auto state = parts_.registry.projector().view({});
      if (!access || !state) return void(look_again_ = true);
      constexpr std::uint64_t kPage = 1'000;
      for (PageRequest page{1, kPage, 0, Order::kAscending};; ++page.page) {
        const auto users = list_page<User>(access->rows, {}, ListFilters(), page);
        for (const auto& user : users.rows) {
          if (Rows(*state->state, user.user_id, 0).count<Webhook>({}) > 0) refresh(user.user_id);
        }
        if (users.rows.size() < kPage) return;
      }
    } catch (const UnreadableRows&) {
      look_again_ = true;
    }
  }

  // The owner's webhooks as they are now.
  void refresh(const std::string& name) {
    if (!leading_) return;
    try {
      const auto view = parts_.registry.projector().view(name);
      if (!view) return void(look_again_ = true);
      const auto listed = list_page<Webhook>(view->rows, {}, ListFilters(),
                                             {1, CreateWebhook::kMost, 0, Order::kAscending});
      auto& owner = owners_[name];
      owner.end = std::max(owner.end, version_of(view->rows));
      for (auto& target : owner.targets) {
        const bool there = std::any_of(listed.rows.begin(), listed.rows.end(),
                                       [&](const auto& row) { return row.id == target->row.id; });
        if (!there) forget(*target);
      }
      std::erase_if(owner.targets, [](const auto& target) { return target->gone; });
      for (const auto& row : listed.rows) keep(name, owner, row);
      watch(name, !owner.targets.empty());
      if (owner.targets.empty()) owners_.erase(name);
    } catch (const UnreadableRows&) {
      look_again_ = true;
    }
  }

  void watch(const std::string& name, bool wanted) {
    const std::lock_guard lock(watched_mutex_);
    wanted ? void(watched_.insert(name)) : void(watched_.erase(name));
    watching_ = watched_.size();
  }

  void keep(const std::string& name, Owner& owner, const Webhook& row) {
    for (auto& target : owner.targets) {
      if (target->row.id != row.id) continue;
      target->row = row;
      settle_disabling(*target);
      return resume(target);
    }
    const auto known = parts_.store.load(row.id);
    if (!known) return void(look_again_ = true);
    auto target = std::make_shared<Target>();
    target->owner = name;
    target->row = row;
    target->progress =
        known->progress.value_or(DeliveryStore::Progress{.next_version = row.first_version});
    // A log that was restored from a backup may be shorter than what was sent of it.
    auto& next = target->progress.next_version;
    next = std::min(next, static_cast<std::int64_t>(owner.end));
    target->sources.push_back({.position = static_cast<std::uint64_t>(next)});
    for (const auto& replay : known->replays) {
      target->sources.push_back(
          {.replay = replay, .position = static_cast<std::uint64_t>(replay.next_version)});
    }
    for (const auto& delivery : known->pending) {
      due_at_.emplace(delivery.next_attempt_at.value_or(Timestamp{}),
                      std::pair(target, delivery.id));
    }
    target->pending = known->pending.size();
    target->kept = known->deliveries;
    settle_disabling(*target);
    owner.targets.push_back(target);
    ++webhooks_;
    resume(target);
  }

  void forget(Target& target) {
    target.gone = true;
    batch_.forget(target.row.id);
    --webhooks_;
  }

  void resume(const SharedTarget& target) {
    if (!target->may_send()) {
      if (target->progress.disabling && !target->asked) disable(target);
      return;
    }
    for (auto& source : target->sources) fill(target, source);
    schedule(target);
  }

  // A new event of an owner.
  void take(const LoggedRecord& logged) {
    const auto found = owners_.find(logged.record.stream);
    if (found == owners_.end()) return;
    const auto version = logged.record.envelope.stream_version;
    auto& owner = found->second;
    owner.end = std::max(owner.end, version + 1);
    SharedEvent event;
    for (const auto& target : owner.targets) {
      if (!target->may_send()) continue;
      auto& source = target->sources.front();
      const bool next = source.position == version && !source.reading &&
                        source.queue.size() < kQueued && target->pending < kMostPending;
      next ? enqueue(target, source, logged, event) : fill(target, source);
      schedule(target);
    }
  }

  // `event` is made once for all targets.
  void enqueue(const SharedTarget& target, Source& source, const LoggedRecord& logged,
               SharedEvent& event) {
    const auto& envelope = logged.record.envelope;
    if (envelope.stream_version < source.position) return;
    source.position = envelope.stream_version + 1;
    target->dirty = true;
    const auto& replay = source.replay;
    if (!replay && is_control(envelope.type)) control(target, logged);
    const auto& types = replay && replay->types ? *replay->types : target->row.details.types;
    if (!fits(types, envelope.type)) return;
    if (!event) event = event_to_send(logged);
    source.open.insert(envelope.stream_version);
    source.queue.push_back(event);
  }

  // Reads what the source lacks.
  void fill(const SharedTarget& target, Source& source) {
    if (source.reading || source.queue.size() >= kQueued / 2 || !target->may_send() ||
        target->pending >= kMostPending) {
      return;
    }
    const auto& replay = source.replay;
    const auto end =
        replay ? static_cast<std::uint64_t>(replay->end_version) : owners_[target->owner].end;
    if (source.position >= end) return;
    source.reading = true;
    auto types = replay && replay->types ? *replay->types : target->row.details.types;
    StreamPages::Question question{
        .stream = target->owner,
        .from = source.position,
        .end = end,
        .most = kQueued,
        .wants = [types = std::move(types), replay](const Record& record) {
          const auto& envelope = record.envelope;
          if (!replay && is_control(envelope.type)) return true;
          if (replay && envelope.time < replay->since) return false;
          if (replay && replay->until && envelope.time >= *replay->until) return false;
          return fits(types, envelope.type);
        }};
    pages_.read(std::move(question), [this, target, &source](Result<StreamPages::Page> page) {
      post_always([this, target, &source, page = std::move(page)] {
        source.reading = false;
        if (target->gone) return;
        if (!page) return void(later_.emplace_back(Steady::now() + kAfterTrouble, target));
        for (const auto& logged : page->records) {
          SharedEvent event;
          enqueue(target, source, logged, event);
        }
        source.position = std::max(source.position, page->next);
        target->dirty = true;
        end_replay(target, source);
        schedule(target);
      });
    });
  }

  // A replay whose last event is stored.
  void end_replay(const SharedTarget& target, Source& source) {
    if (!source.replay || source.reading || !source.open.empty() ||
        source.position < static_cast<std::uint64_t>(source.replay->end_version)) {
      return fill(target, source);
    }
    batch_.erase_replay(target->row.id, source.replay->id);
    target->sources.remove_if([&](const auto& each) { return &each == &source; });
  }

  // Results that must not be lost.
  void post_always(std::function<void()> task) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      if (mailbox_->closed) return;
      mailbox_->tasks.push_back(std::move(task));
    }
    sender_.wake();
  }

  // What the owner has asked for.
  void control(const SharedTarget& target, const LoggedRecord& logged) {
    const auto read = read_event(logged.record);
    if (!read) return;
    const auto& id = target->row.id;
    if (const auto* resend = read->get_if<WebhookResendRequested>()) {
      if (resend->webhook_id != id) return;
      const auto now = parts_.clock.now();
      auto delivery = parts_.store.find(id, resend->delivery_id);
      if (!delivery) return;
      if (delivery->status != DeliveryStatus::kPending) {
        delivery = Delivery{.id = parts_.ids.uuid(now),
                            .event_id = delivery->event_id,
                            .type = delivery->type,
                            .at = now,
                            .event_version = delivery->event_version};
        ++target->pending, ++target->kept;
      }
      delivery->next_attempt_at = now;
      batch_.put(id, *delivery);
      due_at_.emplace(now, std::pair(target, delivery->id));
    } else if (const auto* replay = read->get_if<WebhookReplayRequested>()) {
      if (replay->webhook_id != id) return;
      DeliveryStore::Replay asked{
          .id = Uuid::parse(logged.record.envelope.id).value_or(Uuid{}),
          .end_version = static_cast<std::int64_t>(logged.record.envelope.stream_version),
          .since = replay->since,
          .until = replay->until,
          .types = replay->types};
      batch_.put(id, asked);
      target->sources.push_back({.replay = std::move(asked)});
      fill(target, target->sources.back());
    }
  }

  void schedule(const SharedTarget& target) {
    if (target->runnable || !target->may_send()) return;
    target->runnable = true;
    runnable_.push_back(target);
  }

  void wake_due() {
    const auto now = parts_.clock.now();
    while (!due_at_.empty() && due_at_.begin()->first <= now) {
      auto [target, id] = std::move(due_at_.begin()->second);
      due_at_.erase(due_at_.begin());
      if (target->gone) continue;
      if (std::find(target->due.begin(), target->due.end(), id) == target->due.end()) {
        target->due.push_back(id);
      }
      schedule(target);
    }
    const auto steady = Steady::now();
    std::vector<SharedTarget> again;
    std::erase_if(later_, [&](auto& each) {
      if (each.first > steady) return false;
      again.push_back(each.second);
      return true;
    });
    for (const auto& target : again) {
      if (!target->gone) resume(target);
    }
  }

  // The webhooks take their turns, one request at a time.
  void pump() {
    if (trouble_) return;
    while (!runnable_.empty() && busy_ < kMostAtOnce) {
      const auto target = std::move(runnable_.front());
      runnable_.pop_front();
      target->runnable = false;
      if (!target->may_send() || target->in_flight >= target->window) continue;
      if (!target->fast && unproven_ >= kMostUnproven) {
        target->runnable = true;
        waiting_.push_back(target);
        continue;
      }
      if (begin_one(target)) schedule(target);
    }
  }

  bool begin_one(const SharedTarget& target) {
    target->retries_next = !target->retries_next;
    if (target->retries_next && begin_due(target)) return true;
    if (begin_next(target)) return true;
    return begin_due(target);
  }

  Attempt attempt_of(const SharedTarget& target) {
    ++target->in_flight, ++busy_;
    unproven_ += target->fast ? 0 : 1;
    return {.target = target,
            .delivery = {},
            .event = {},
            .unproven = !target->fast,
            .seen = target->row.updated_at};
  }

  void release(const Attempt& attempt) {
    --attempt.target->in_flight, --busy_;
    if (!attempt.unproven) return;
    --unproven_;
    if (waiting_.empty()) return;
    runnable_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }

  bool begin_next(const SharedTarget& target) {
    for (auto& source : target->sources) {
      if (source.queue.empty()) continue;
      auto attempt = attempt_of(target);
      attempt.source = &source;
      attempt.event = std::move(source.queue.front());
      source.queue.pop_front();
      const auto now = parts_.clock.now();
      attempt.delivery = {.id = parts_.ids.uuid(now),
                          .event_id = attempt.event->id,
                          .type = attempt.event->type,
                          .at = now,
                          .event_version = static_cast<std::int64_t>(attempt.event->version)};
      send(std::move(attempt));
      fill(target, source);
      return true;
    }
    return false;
  }

  bool begin_due(const SharedTarget& target) {
    while (!target->due.empty()) {
      const auto id = target->due.front();
      target->due.pop_front();
      auto delivery = parts_.store.find(target->row.id, id);
      if (!delivery || delivery->status != DeliveryStatus::kPending) continue;
      auto attempt = attempt_of(target);
      attempt.delivery = std::move(*delivery);
      const auto version = static_cast<std::uint64_t>(attempt.delivery.event_version);
      pages_.read(
          {.stream = target->owner,
           .from = version,
           .end = version + 1,
           .most = 1,
           .wants = [](const Record&) { return true; }},
          [this, attempt = std::move(attempt)](Result<StreamPages::Page> page) {
            post_always([this, attempt, page = std::move(page)] { send_again(attempt, page); });
          });
      return true;
    }
    return false;
  }

  void send_again(Attempt attempt, const Result<StreamPages::Page>& page) {
    if (page && !page->records.empty()) {
      attempt.event = event_to_send(page->records.front());
      return send(std::move(attempt));
    }
    release(attempt);
    const auto& target = attempt.target;
    if (target->gone) return;
    if (!page) {  // the log does not answer
      due_at_.emplace(Timestamp{parts_.clock.now().at + kAfterTrouble},
                      std::pair(target, attempt.delivery.id));
    } else {
      attempt.delivery.status = DeliveryStatus::kFailed;
      attempt.delivery.error = "The event is no longer in the history.";
      attempt.delivery.next_attempt_at.reset();
      --target->pending;
      batch_.put(target->row.id, attempt.delivery);
    }
    schedule(target);
  }

  WebhookPost post_of(const Webhook& row, const std::string& id,
                      std::shared_ptr<const std::string> body) const {
    const auto seconds = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                                            parts_.wall_clock.now().at.time_since_epoch())
                                            .count());
    return {.url = row.details.url.address,
            .headers = {"content-type: application/cloudevents+json", "accept: */*",
                        "user-agent: Tilth-Webhooks/1", "webhook-id: " + id,
                        "webhook-timestamp: " + seconds,
                        "webhook-signature: " + webhook_signature(parts_.digest, row,
                                                                  parts_.clock.now(), id, seconds,
                                                                  *body)},
            .body = std::move(body)};
  }

  void send(Attempt attempt) {
    if (attempt.target->gone) return release(attempt);
    attempt.delivery.at = parts_.clock.now();
    auto post = post_of(attempt.target->row, attempt.event->id, attempt.event->body);
    if (const auto& traceparent = attempt.event->traceparent; !traceparent.empty()) {
      post.headers.push_back("traceparent: " + traceparent);
    }
    sender_.send(std::move(post), [this, attempt = std::move(attempt)](WebhookAnswer answer) {
      finish(attempt, std::move(answer));
    });
  }

  void finish(Attempt attempt, WebhookAnswer answer) {
    release(attempt);
    const auto& target = attempt.target;
    ++outcomes_.at(static_cast<std::size_t>(answer.outcome));
    if (target->gone) return;
    const bool delivered = answer.outcome == AttemptOutcome::kDelivered;
    target->fast = delivered && answer.took < kFast;
    target->window = target->fast ? std::min(2 * target->window, kMostOfWebhook) : 1;

    auto& delivery = attempt.delivery;
    const bool was_pending = attempt.source == nullptr;
    ++delivery.attempt;
    delivery.http_status = answer.status;
    delivery.duration_ms = answer.took.count();
    delivery.error = answer.error.empty() ? std::nullopt : std::optional(answer.error);
    delivery.next_attempt_at.reset();
    auto& activity = target->progress.activity;
    if (delivered) {
      delivery.status = DeliveryStatus::kDelivered;
      activity.last_success_at = delivery.at;
    } else {
      activity.last_failure_at = delivery.at;
      fail(target, attempt, answer);
    }
    batch_.put(target->row.id, delivery);
    const bool pending = delivery.status == DeliveryStatus::kPending;
    if (pending && !was_pending) ++target->pending;
    if (!pending && was_pending) --target->pending;
    if (!was_pending) ++target->kept;
    target->dirty = true;
    if (attempt.source != nullptr) {
      attempt.source->open.erase(attempt.event->version);
      attempt.source->replay ? end_replay(target, *attempt.source) : fill(target, *attempt.source);
    }
    schedule(target);
  }

  void fail(const SharedTarget& target, Attempt& attempt, const WebhookAnswer& answer) {
    constexpr int kGone = 410;
    auto& delivery = attempt.delivery;
    const auto delay =
        answer.status == kGone ? std::nullopt : retry_delay(delivery.attempt, parts_.random());
    if (delay) {
      delivery.status = DeliveryStatus::kPending;
      delivery.next_attempt_at = Timestamp{parts_.clock.now().at + *delay};
      due_at_.emplace(*delivery.next_attempt_at, std::pair(target, delivery.id));
      return;
    }
    delivery.status = DeliveryStatus::kFailed;
    if (target->progress.disabling) return;
    target->progress.disabling = answer.status == kGone
                                     ? "The receiver answered 410: it is gone."
                                     : "A delivery failed " + std::to_string(delivery.attempt) +
                                           " times in a row, the last time thus: " + answer.error;
    target->progress.disabling_seen = attempt.seen;
    disable(target);
  }

  // What was to be disabled may have been changed by its owner meanwhile.
  void settle_disabling(Target& target) {
    auto& progress = target.progress;
    if (!progress.disabling) return;
    if (target.row.details.is_active && target.row.updated_at <= progress.disabling_seen) return;
    progress.disabling.reset();
    target.asked = false;
    target.dirty = true;
  }

  void disable(const SharedTarget& target) {
    target->asked = true;
    const auto now = parts_.clock.now();
    CommandRequest request{
        .stream = target->owner,
        .actor = std::string(kActor),
        .request_id = parts_.ids.uuid(now).text(),
        .decide = deciding(DisableWebhook{target->row.id, *target->progress.disabling,
                                          target->progress.disabling_seen})};
    parts_.registry.carry_out(std::move(request), [this, mailbox = mailbox_,
                                                   target](const Result<CommandResult>& outcome) {
      const bool done = static_cast<bool>(outcome);
      const std::lock_guard lock(mailbox->mutex);
      if (mailbox->closed) return;
      mailbox->tasks.push_back([this, target, done] {
        if (target->gone) return;
        if (done) return refresh(target->owner);
        target->asked = false;
        later_.emplace_back(Steady::now() + kAfterTrouble, target);
      });
    });
  }

  // One batch. If it cannot be written nothing more is sent, so that nothing is sent in vain.
  void store() {
    const auto now = Steady::now();
    if (trouble_ && now < retry_store_) return;
    if (batch_.empty() && now < next_places_) return;
    next_places_ = now + kStoresPlaces;
    for (auto& [name, owner] : owners_) {
      for (const auto& target : owner.targets) {
        if (!std::exchange(target->dirty, false)) continue;
        target->progress.next_version = static_cast<std::int64_t>(target->sources.front().place());
        batch_.put(target->row.id, target->progress);
        for (const auto& source : target->sources) {
          if (!source.replay) continue;
          auto replay = *source.replay;
          replay.next_version = static_cast<std::int64_t>(source.place());
          batch_.put(target->row.id, replay);
        }
        trim(*target);
      }
    }
    if (batch_.empty()) return;
    auto bytes = parts_.sharing != nullptr ? batch_.bytes() : std::string();
    const auto written = parts_.store.write(batch_);
    if (!written && !trouble_) {
      parts_.log_lines.error("Webhooks get nothing for now.",
                             {{"reason", written.error().message}});
    }
    trouble_ = !written;
    retry_store_ = now + kAfterTrouble;
    if (written && parts_.sharing != nullptr) parts_.sharing->share(std::move(bytes));
  }

  void trim(Target& target) {
    if (target.kept <= kMostKept) return;
    constexpr Timestamp kAlways{decltype(Timestamp::at)::max()};
    erase(target,
          parts_.store.settled_before(target.row.id, kAlways, target.kept - kKeptAfterTrim));
  }

  void erase(Target& target, const std::vector<Uuid>& deliveries) {
    for (const auto& id : deliveries) batch_.erase_delivery(target.row.id, id);
    target.kept -= std::min<std::uint64_t>(target.kept, deliveries.size());
  }

  void now_and_then() {
    constexpr std::size_t kTrimmedAtOnce = 1'000;
    const auto steady = Steady::now();
    if (steady >= next_trim_) {
      next_trim_ = steady + kTrimsAgain;
      const Timestamp before{parts_.clock.now().at - kKept};
      for (auto& [name, owner] : owners_) {
        for (const auto& target : owner.targets) {
          erase(*target, parts_.store.settled_before(target->row.id, before, kTrimmedAtOnce));
        }
      }
    }
    if (leading_ && parts_.sharing != nullptr && steady >= next_reshare_) {
      next_reshare_ = steady + kResharesAgain;
      for (auto& [name, owner] : owners_) {
        for (const auto& target : owner.targets) reshare(*target);
      }
    }
    if (steady < next_tell_) return;
    next_tell_ = steady + kTellsAgain;
    told_at_ =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady.time_since_epoch()).count();
    const auto now = parts_.clock.now();
    auto oldest_due = now, oldest_retry = now;
    std::uint64_t due = 0, retry = 0;
    for (const auto& [name, owner] : owners_) {
      for (const auto& target : owner.targets) {
        if (!target->may_send()) continue;
        const auto& source = target->sources.front();
        due += owner.end - std::min(owner.end, source.place()) + target->due.size();
        retry += target->pending - std::min<std::uint64_t>(target->pending, target->due.size());
        if (!source.queue.empty()) oldest_due = std::min(oldest_due, source.queue.front()->time);
      }
    }
    for (const auto& [at, whose] : due_at_) {
      if (!whose.first->may_send()) continue;
      const auto delivery = parts_.store.find(whose.first->row.id, whose.second);
      if (delivery) oldest_retry = std::min(oldest_retry, delivery->at);
      break;  // the next one
    }
    const auto seconds = [&](Timestamp since) {
      return std::chrono::duration_cast<std::chrono::seconds>(now.at - since.at).count();
    };
    backlog_due_ = due, backlog_retry_ = retry;
    oldest_due_ = seconds(oldest_due), oldest_retry_ = seconds(oldest_retry);
  }

  struct TestData {
    WebhookId webhook_id;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("webhookId", webhook_id));
    }
  };

  struct TestEvent {
    std::string specversion = "1.0";
    Uuid id;
    std::string source;
    std::string type = "tilth.webhook.test";
    std::string subject;
    Timestamp time;
    std::string datacontenttype = "application/json";
    TestData data;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("specversion", specversion), member("id", id), member("source", source),
         member("type", type), member("subject", subject), member("time", time),
         member("datacontenttype", datacontenttype), member("data", data));
    }
  };

  void send_test(const std::string& owner, const WebhookId& id,
                 const std::shared_ptr<OnTested>& done) {
    std::optional<Webhook> row;
    try {
      if (const auto view = parts_.registry.projector().view(owner)) row = view->rows.find(id);
    } catch (const UnreadableRows&) {
      return (*done)(Error{ErrorCode::kUnavailable, "The webhooks cannot be read."});
    }
    if (!row) return (*done)(there_is_no<Webhook>());
    if (tests_.size() >= kMostTests) {
      return (*done)(Error{.code = ErrorCode::kUnavailable,
                           .message = "Too many webhooks are being tested at once.",
                           .retry_after_seconds = 1});
    }
    const auto now = parts_.clock.now();
    const TestEvent event{.id = parts_.ids.uuid(now),
                          .source = parts_.source,
                          .subject = owner,
                          .time = now,
                          .data = {id}};
    tests_.insert(done);
    auto post = post_of(*row, event.id.text(),
                        std::make_shared<const std::string>(JsonWriter::text(event)));
    sender_.send(std::move(post), [this, done](WebhookAnswer answer) {
      tests_.erase(done);
      (*done)(WebhookTest{answer.status, answer.took.count(),
                          answer.error.empty() ? std::nullopt : std::optional(answer.error),
                          std::move(answer.body)});
    });
  }

  const Parts& parts_;
  WebhookSender sender_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<bool> leading_ = false, missed_ = false;

  std::mutex watched_mutex_;
  std::unordered_set<std::string> watched_;  // owners with webhooks
  std::atomic<std::size_t> watching_ = 0;

  // Of the thread.
  std::map<std::string, Owner> owners_;
  std::deque<SharedTarget> runnable_, waiting_;
  std::multimap<Timestamp, std::pair<SharedTarget, Uuid>> due_at_;
  std::vector<std::pair<Steady::time_point, SharedTarget>> later_;
  std::set<std::shared_ptr<OnTested>> tests_;
  DeliveryStore::Batch batch_;
  std::size_t busy_ = 0, unproven_ = 0;
  bool look_again_ = false, trouble_ = false;
  Steady::time_point retry_store_{}, next_places_{}, next_trim_{}, next_tell_{}, next_reshare_{};

  std::array<std::atomic<std::uint64_t>, 5> outcomes_ = {};
  std::atomic<std::uint64_t> backlog_due_ = 0, backlog_retry_ = 0, webhooks_ = 0;
  std::atomic<std::int64_t> oldest_due_ = 0, oldest_retry_ = 0, told_at_ = 0;

  StreamPages pages_;  // ends before what its results refer to
  std::jthread thread_;
};

DeliveryService::DeliveryService(Parts parts)
    : parts_(std::move(parts)), loop_(std::make_unique<Loop>(parts_)) {}
DeliveryService::~DeliveryService() = default;

void DeliveryService::begin() { loop_->begin(); }
void DeliveryService::stop() { loop_->stop(); }

void DeliveryService::on_accepted(const Event&, const LoggedRecord& logged) {
  loop_->on_accepted(logged);
}

void DeliveryService::tell(Samples& to) const { loop_->tell(to); }

std::string DeliveryService::secret(const WebhookSecretId& id) const {
  return webhook_secret(parts_.digest, id);
}

WebhookActivity DeliveryService::activity(const WebhookId& id) const {
  return parts_.store.activity(id);
}

Result<WebhookDeliveries::Page> DeliveryService::list(const WebhookId& id,
                                                      const std::optional<DeliveryStatus>& status,
                                                      std::uint64_t skip,
                                                      std::uint64_t limit) const {
  return parts_.store.list(id, status, skip, limit);
}

std::optional<Delivery> DeliveryService::find(const WebhookId& id, const Uuid& delivery) const {
  return parts_.store.find(id, delivery);
}

void DeliveryService::test(const std::string& owner, const WebhookId& id, OnTested done) {
  loop_->test(owner, id, std::move(done));
}

}  // namespace tilth
