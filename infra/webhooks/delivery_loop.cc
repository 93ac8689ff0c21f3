#include "infra/webhooks/delivery_loop.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include <sodium.h>

#include "api/v1/history/event_line.h"
#include "command/integrations/webhook.h"
#include "events/access/erasure.h"
#include "events/log/streams.h"
#include "infra/webhooks/retry_schedule.h"
#include "infra/webhooks/signed_post.h"
#include "projections/access/user.h"
#include "projections/rows/stored_head.h"
#include "query/integrations/webhook.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostInbox = 10'000;
constexpr std::uint64_t kMostPending = 10'000;
constexpr std::chrono::milliseconds kLooksAgain = 250ms, kMeasuresAgain = 1s, kAfterTrouble = 1s;
constexpr std::chrono::seconds kReadTimeout{2};  // for Tilth-Min-Position
constexpr std::string_view kOwnEvents = "tilth.webhook.";
constexpr std::string_view kActor = "webhooks";

bool fits(const std::vector<std::string>& types, std::string_view type) {
  return std::any_of(types.begin(), types.end(),
                     [&](const auto& pattern) { return matches_pattern(pattern, type); });
}

bool is_control(std::string_view type) {
  return type == WebhookResendRequested::kType.name || type == WebhookReplayRequested::kType.name;
}

// The id of the delivery that a request for a resend makes. Each node that takes the request up
// gets the same one: for a moment two nodes may send for an owner, and the last one counts.
Uuid resent_id(const Envelope& request) {
  const IdSource ids([&](std::uint8_t* bytes, std::size_t count) {
    std::array<unsigned char, crypto_generichash_BYTES> hash;
    crypto_generichash(hash.data(), hash.size(),
                       reinterpret_cast<const unsigned char*>(request.id.data()), request.id.size(),
                       nullptr, 0);
    std::copy_n(hash.begin(), count, bytes);
  });
  return ids.uuid(request.time);
}

Error ending() {
  return {
      .code = ErrorCode::kUnavailable, .message = "The service ends.", .retry_after_seconds = 1};
}

Error not_read() {
  return {.code = ErrorCode::kUnavailable,
          .message = "This node has not read up to Tilth-Min-Position yet.",
          .retry_after_seconds = 1};
}

}  // namespace

DeliveryLoop::DeliveryLoop(const DeliveryParts& parts, WebhookSender& sender, StreamPages& pages)
    : parts_(parts), sender_(sender), pages_(pages) {}

void DeliveryLoop::on_accepted(const LoggedRecord& logged) {
  if (!leading_) return;
  const auto& [stream, envelope, json, event, foreign] = *logged.record;
  const bool about_webhooks =
      envelope.type.starts_with(kOwnEvents) || envelope.type == RecordsErased::kType.name;
  if (about_webhooks) {
    watched_.set(stream, true);
  } else if (!watched_.any() || !watched_.has(stream)) {
    return;
  }
  post_if_room([this, about_webhooks, logged] {
    if (about_webhooks) refresh(logged.record->stream);
    take(logged);
  });
}

void DeliveryLoop::test(const std::string& owner, const WebhookId& id,
                        const std::optional<Position>& since, WebhookDeliveries::OnTested done) {
  auto shared = std::make_shared<WebhookDeliveries::OnTested>(std::move(done));
  const auto send = [this, owner, id, shared] { tester_.send(owner, id, shared); };
  if (!since || parts_.registry.has_reached(owner, *since)) {
    if (!post_if_room(send)) (*shared)(ending());
    return;
  }
  parts_.registry.when_reached(owner, *since, kReadTimeout,
                               [inbox = inbox_, send, shared](bool reached) {
                                 if (!reached) return (*shared)(not_read());
                                 if (!inbox->post(send)) (*shared)(ending());
                               });
}

void DeliveryLoop::end_tests() {
  post([this] { tester_.end(ending()); });
}

void DeliveryLoop::post(TaskInbox::Task task) {
  if (inbox_->post(std::move(task))) sender_.wake();
}

bool DeliveryLoop::post_if_room(TaskInbox::Task task) {
  using Posted = TaskInbox::Posted;
  const auto posted = inbox_->post_if_room(std::move(task), kMostInbox);
  if (posted == Posted::kFull) missed_ = true;
  if (posted == Posted::kTaken) sender_.wake();
  return posted == Posted::kTaken;
}

std::chrono::milliseconds DeliveryLoop::turn() {
  take_lead();
  const auto tasks = inbox_->take();
  for (const auto& task : tasks) task();
  if (missed_.exchange(false)) look_again_ = true;
  if (look_again_) find_all();
  writer_.store(owners_);  // what is due is read from it
  wake_due();
  pump();
  writer_.erase_old(owners_);
  if (leading_) writer_.reshare(owners_);
  measure();
  return tasks.empty() ? kLooksAgain : 0ms;
}

void DeliveryLoop::end() {
  writer_.store(owners_);
  inbox_->close();
  tester_.end(ending());
}

void DeliveryLoop::take_lead() {
  const bool leads = parts_.delivers && (parts_.sharing == nullptr || parts_.sharing->leads());
  const bool others_now = others_now_.exchange(false);
  if (!leads) return leading_ ? forget_all() : void();
  if (leading_ && !others_now) return;
  if (leading_) forget_others();
  leading_ = forget_removed_ = true;
  writer_.reshare_soon();
  find_all();
}

// What is known of those that it goes on to send for stays, and what is on its way to them.
void DeliveryLoop::forget_others() {
  writer_.store(owners_);
  std::erase_if(owners_, [this](auto& each) {
    if (parts_.sends_for(each.first)) return false;
    for (const auto& target : each.second.targets) {
      target->gone = true;
      gauges_.removed();
    }
    watched_.set(each.first, false);
    return true;
  });
}

void DeliveryLoop::forget_all() {
  leading_ = false;
  for (auto& [name, owner] : owners_) {
    for (const auto& target : owner.targets) target->gone = true;
  }
  owners_.clear(), slots_.clear(), due_at_.clear(), later_.clear();
  writer_.clear();
  gauges_.clear();
  watched_.clear();
}

void DeliveryLoop::find_all() {
  look_again_ = false;
  if (!leading_) return;
  refresh_known();
  try {
    const auto access = parts_.access.projector().view(std::string(kAccessStream));
    if (!access) return void(look_again_ = true);
    std::vector<std::shared_ptr<const RowReader>> states;  // of each cell
    for (std::size_t cell = 0; cell < parts_.registry.count(); ++cell) {
      const bool held = parts_.registry.holds(cell);
      states.push_back(held ? parts_.registry.at(cell).projector().view({})->state : nullptr);
    }
    constexpr std::uint64_t kPage = 1'000;
    for (PageRequest page{1, kPage, 0, Order::kAscending};; ++page.page) {
      const auto users = list_page<User>(access->rows, {}, ListFilters(), page);
      for (const auto& user : users.rows) {
        const auto& state = states[parts_.registry.number_of(user.user_id)];
        if (state && parts_.sends_for(user.user_id)) find_of(user.user_id, *state);
      }
      if (users.rows.size() < kPage) break;
    }
    if (!look_again_ && std::exchange(forget_removed_, false)) forget_removed();
  } catch (const UnreadableRows&) {
    look_again_ = true;
  }
}

// An owner whose last webhook is gone, or who was erased, is found in no list.
void DeliveryLoop::refresh_known() {
  std::vector<std::string> known;  // refresh() changes owners_
  for (const auto& [name, owner] : owners_) known.push_back(name);
  for (const auto& name : known) refresh(name);
}

// Rows that cannot be read in one cell keep no other owner's webhooks from being found.
void DeliveryLoop::find_of(const std::string& owner, const RowReader& state) {
  if (owners_.contains(owner)) return;
  try {
    if (Rows(state, owner, 0).count<Webhook>({}) > 0) refresh(owner);
  } catch (const UnreadableRows&) {
    look_again_ = true;
  }
}

void DeliveryLoop::refresh(const std::string& name) {
  if (!leading_ || !parts_.sends_for(name)) return;
  // Before the view is taken: it lacks the events that are folded afterwards. A webhook that is
  // created meanwhile brings its owner here once more.
  watched_.set(name, true);
  try {
    const auto view = parts_.registry.of(name).projector().view(name);
    if (!view) return void(look_again_ = true);
    const auto listed = list_page<Webhook>(view->rows, {}, ListFilters(),
                                           {1, CreateWebhook::kMost, 0, Order::kAscending});
    auto& owner = owners_[name];
    owner.end = std::max(owner.end, stored_version(view->rows));
    for (auto& target : owner.targets) {
      const bool there = std::any_of(listed.rows.begin(), listed.rows.end(),
                                     [&](const auto& row) { return row.id == target->row.id; });
      if (!there) forget(*target);
    }
    std::erase_if(owner.targets, [](const auto& target) { return target->gone; });
    for (const auto& row : listed.rows) keep(name, owner, row);
    if (owner.targets.empty()) {
      watched_.set(name, false);
      owners_.erase(name);
    }
  } catch (const UnreadableRows&) {
    look_again_ = true;
  }
}

void DeliveryLoop::keep(const std::string& name, DeliveryOwner& owner, const Webhook& row) {
  for (auto& target : owner.targets) {
    if (target->row.id != row.id) continue;
    target->row = row;
    settle_disabling(*target);
    return resume(target);
  }
  const auto known = parts_.store.load(row.id);
  if (!known) return void(look_again_ = true);
  auto target = std::make_shared<DeliveryTarget>();
  target->owner = name;
  target->row = row;
  target->progress =
      known->progress.value_or(DeliveryStore::Progress{.next_version = row.first_version});
  target->progress.owner = name;
  // A log that was restored from a backup may be shorter than what was sent of it.
  const auto end = static_cast<std::int64_t>(owner.end);
  auto& progress = target->progress;
  progress.next_version = std::min(progress.next_version, end);
  progress.next_request_version = std::min(progress.next_request_version, end);
  target->sources.push_back({.position = static_cast<std::uint64_t>(progress.next_version)});
  for (const auto& replay : known->replays) {
    target->sources.push_back(
        {.replay = replay, .position = static_cast<std::uint64_t>(replay.next_version)});
  }
  for (const auto& delivery : known->pending) {
    due_at_.emplace(delivery.next_attempt_at.value_or(Timestamp{}), std::pair(target, delivery.id));
  }
  target->pending = known->pending.size();
  target->kept = known->deliveries;
  settle_disabling(*target);
  owner.targets.push_back(target);
  gauges_.added();
  resume(target);
}

void DeliveryLoop::forget(DeliveryTarget& target) {
  target.gone = true;
  writer_.batch().forget(target.row.id);
  gauges_.removed();
}

void DeliveryLoop::forget_removed() {
  std::set<WebhookId> known;
  for (const auto& [name, owner] : owners_) {
    for (const auto& target : owner.targets) known.insert(target->row.id);
  }
  const auto visited = parts_.store.visit([&](const auto& id, const auto& progress) {
    if (!known.contains(id) && was_removed(id, progress)) writer_.batch().forget(id);
  });
  if (!visited) forget_removed_ = look_again_ = true;
}

// Of a webhook that was not found.
bool DeliveryLoop::was_removed(const WebhookId& id, const DeliveryStore::Progress& progress) const {
  // Without other nodes every webhook that there is was found.
  if (progress.owner.empty()) return parts_.sharing == nullptr;
  if (!parts_.sends_for(progress.owner)) return false;
  const auto view = parts_.registry.of(progress.owner).projector().view(progress.owner);
  // Another node may have sent more than this one has read, which then lacks the creation itself.
  const auto sent = static_cast<std::uint64_t>(progress.next_version);
  return view && stored_version(view->rows) >= sent && !view->rows.find(id);
}

void DeliveryLoop::resume(const SharedTarget& target) {
  if (!target->may_send()) {
    if (target->progress.disabling && !target->asked) disable(target);
    return;
  }
  fill(target, target->sources.front());
  fill_replay(target);
  slots_.add(target);
}

void DeliveryLoop::take(const LoggedRecord& logged) {
  const auto found = owners_.find(logged.record->stream);
  if (found == owners_.end()) return;
  const auto version = logged.record->envelope.stream_version;
  auto& owner = found->second;
  owner.end = std::max(owner.end, version + 1);
  SharedEvent event;
  for (const auto& target : owner.targets) {
    if (!target->may_send()) continue;
    auto& source = target->sources.front();
    const bool next = source.position == version && !source.reading && source.has_room_for(1) &&
                      target->pending < kMostPending;
    if (!next) {
      fill(target, source);
    } else if (!enqueue(target, source, logged, event)) {
      later_.emplace_back(parts_.steady() + kAfterTrouble, target);
    }
    slots_.add(target);
  }
}

bool DeliveryLoop::enqueue(const SharedTarget& target, DeliverySource& source,
                           const LoggedRecord& logged, SharedEvent& event) {
  const auto& envelope = logged.record->envelope;
  if (envelope.stream_version < source.position) return true;
  const auto& replay = source.replay;
  // After a restart the stream is read again from the first event that was not answered.
  const auto version = static_cast<std::int64_t>(envelope.stream_version);
  if (!replay && is_control(envelope.type) && version >= target->progress.next_request_version) {
    if (!control(target, logged)) return false;
    target->progress.next_request_version = version + 1;
  }
  source.position = envelope.stream_version + 1;
  target->dirty = true;
  const auto& types = replay && replay->types ? *replay->types : target->row.details.types;
  if (!fits(types, envelope.type)) return true;
  if (!event) event = event_to_send(logged);
  source.push(event);
  return true;
}

void DeliveryLoop::fill(const SharedTarget& target, DeliverySource& source) {
  if (source.reading || !source.has_room_for(DeliverySource::kMostQueued / 2 + 1) ||
      !target->may_send() || target->pending >= kMostPending) {
    return;
  }
  const auto& replay = source.replay;
  const auto end =
      replay ? static_cast<std::uint64_t>(replay->end_version) : owners_[target->owner].end;
  if (source.position >= end) return;
  source.reading = true;
  auto types = replay && replay->types ? *replay->types : target->row.details.types;
  StreamPages::Question question{.stream = target->owner,
                                 .from = source.position,
                                 .end = end,
                                 .most = DeliverySource::kMostQueued,
                                 .wants = [types = std::move(types), replay](const Record& record) {
                                   const auto& envelope = record.envelope;
                                   if (!replay && is_control(envelope.type)) return true;
                                   if (replay && envelope.time < replay->since) return false;
                                   if (replay && replay->until && envelope.time >= *replay->until)
                                     return false;
                                   return fits(types, envelope.type);
                                 }};
  pages_.read(std::move(question), [this, target, &source](Result<StreamPages::Page> page) {
    post([this, target, &source, page = std::move(page)] {
      source.reading = false;
      if (target->gone) return;
      if (!page) return void(later_.emplace_back(parts_.steady() + kAfterTrouble, target));
      for (const auto& logged : page->records) {
        SharedEvent event;
        if (enqueue(target, source, logged, event)) continue;
        slots_.add(target);
        return void(later_.emplace_back(parts_.steady() + kAfterTrouble, target));
      }
      source.position = std::max(source.position, page->next);
      target->dirty = true;
      fill_more(target, source);
      slots_.add(target);
    });
  });
}

void DeliveryLoop::fill_replay(const SharedTarget& target) {
  auto& sources = target->sources;
  while (sources.size() > 1) {
    const auto oldest = std::next(sources.begin());
    if (!oldest->has_ended()) return fill(target, *oldest);
    writer_.batch().erase_replay(target->row.id, oldest->replay->id);
    sources.erase(oldest);
  }
}

void DeliveryLoop::fill_more(const SharedTarget& target, DeliverySource& source) {
  source.replay ? fill_replay(target) : fill(target, source);
}

bool DeliveryLoop::control(const SharedTarget& target, const LoggedRecord& logged) {
  const auto read = read_event(*logged.record);
  if (!read) return true;
  const auto& id = target->row.id;
  if (const auto* resend = read->get_if<WebhookResendRequested>()) {
    if (resend->webhook_id != id) return true;
    // An attempt that has just ended decides whether the delivery is pending.
    writer_.store(owners_);
    if (writer_.in_trouble()) return false;
    const auto now = parts_.clock.now();
    auto found = parts_.store.find(id, resend->delivery_id);
    if (!found) return false;
    auto& delivery = *found;
    if (!delivery) return true;
    if (delivery->status != DeliveryStatus::kPending) {
      const auto new_id = resent_id(logged.record->envelope);
      auto made = parts_.store.find(id, new_id);
      if (!made) return false;
      if (!*made) {
        *made = Delivery{.id = new_id,
                         .event_id = delivery->event_id,
                         .type = delivery->type,
                         .at = now,
                         .event_version = delivery->event_version};
        ++target->pending, ++target->kept;
      } else if ((*made)->status != DeliveryStatus::kPending) {
        return true;
      }
      delivery = std::move(*made);
    }
    delivery->next_attempt_at = now;
    writer_.batch().put(id, *delivery);
    due_at_.emplace(now, std::pair(target, delivery->id));
  } else if (const auto* replay = read->get_if<WebhookReplayRequested>()) {
    if (replay->webhook_id != id) return true;
    DeliveryStore::Replay asked{
        .id = Uuid::parse(logged.record->envelope.id).value_or(Uuid{}),
        .end_version = static_cast<std::int64_t>(logged.record->envelope.stream_version),
        .since = replay->since,
        .until = replay->until,
        .types = replay->types};
    writer_.batch().put(id, asked);
    target->sources.push_back({.replay = std::move(asked)});
    fill_replay(target);
  }
  return true;
}

void DeliveryLoop::wake_due() {
  const auto now = parts_.clock.now();
  while (!due_at_.empty() && due_at_.begin()->first <= now) {
    auto [target, id] = std::move(due_at_.begin()->second);
    due_at_.erase(due_at_.begin());
    if (target->gone) continue;
    if (std::find(target->due.begin(), target->due.end(), id) == target->due.end()) {
      target->due.push_back(id);
    }
    slots_.add(target);
  }
  const auto steady = parts_.steady();
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

void DeliveryLoop::pump() {
  if (writer_.in_trouble()) return;
  while (const auto target = slots_.next()) {
    if (begin_one(target)) slots_.add(target);
  }
}

bool DeliveryLoop::begin_one(const SharedTarget& target) {
  target->retries_next = !target->retries_next;
  if (target->retries_next && begin_due(target)) return true;
  if (begin_next(target)) return true;
  return begin_due(target);
}

bool DeliveryLoop::begin_next(const SharedTarget& target) {
  for (auto& source : target->sources) {
    if (source.queue.empty()) continue;
    auto attempt = slots_.begin(target);
    attempt.source = &source;
    attempt.event = source.pop();
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

bool DeliveryLoop::begin_due(const SharedTarget& target) {
  while (!target->due.empty()) {
    const auto id = target->due.front();
    target->due.pop_front();
    // Sent again at the owner's wish, it is due by its former time as well.
    if (target->tried.contains(id)) continue;
    auto found = parts_.store.find(target->row.id, id);
    if (!found) {
      due_at_.emplace(Timestamp{parts_.clock.now().at + kAfterTrouble}, std::pair(target, id));
      continue;
    }
    auto& delivery = *found;
    if (!delivery || delivery->status != DeliveryStatus::kPending) continue;
    if (delivery->next_attempt_at > parts_.clock.now()) {
      due_at_.emplace(*delivery->next_attempt_at, std::pair(target, id));
      continue;
    }
    target->tried.insert(id);
    auto attempt = slots_.begin(target);
    attempt.delivery = std::move(*delivery);
    const auto version = static_cast<std::uint64_t>(attempt.delivery.event_version);
    pages_.read({.stream = target->owner,
                 .from = version,
                 .end = version + 1,
                 .most = 1,
                 .wants = [](const Record&) { return true; }},
                [this, attempt = std::move(attempt)](Result<StreamPages::Page> page) {
                  post([this, attempt, page = std::move(page)] { send_again(attempt, page); });
                });
    return true;
  }
  return false;
}

void DeliveryLoop::send_again(DeliveryAttempt attempt, const Result<StreamPages::Page>& page) {
  const bool may_send = attempt.target->may_send();  // it may have changed meanwhile
  if (may_send && page && !page->records.empty()) {
    attempt.event = event_to_send(page->records.front());
    return send(std::move(attempt));
  }
  slots_.end(attempt);
  const auto& target = attempt.target;
  target->tried.erase(attempt.delivery.id);
  if (target->gone) return;
  if (!may_send || !page) {  // or the log does not answer
    due_at_.emplace(Timestamp{parts_.clock.now().at + kAfterTrouble},
                    std::pair(target, attempt.delivery.id));
  } else {
    attempt.delivery.status = DeliveryStatus::kFailed;
    attempt.delivery.error = "The event is no longer in the history.";
    attempt.delivery.next_attempt_at.reset();
    writer_.batch().put(target->row.id, attempt.delivery);
    settled(target);
  }
  slots_.add(target);
}

// With too many pending, none of its sources was filled. One that another node has stored since the
// webhook was found was not counted.
void DeliveryLoop::settled(const SharedTarget& target) {
  if (target->pending > 0 && target->pending-- == kMostPending) resume(target);
}

void DeliveryLoop::send(DeliveryAttempt attempt) {
  if (attempt.target->gone) return slots_.end(attempt);
  attempt.delivery.at = parts_.clock.now();
  auto post = signed_post(parts_, attempt.target->row, attempt.event->id, attempt.event->body);
  if (const auto& traceparent = attempt.event->traceparent; !traceparent.empty()) {
    post.headers.push_back("traceparent: " + traceparent);
  }
  sender_.send(std::move(post), [this, attempt = std::move(attempt)](WebhookAnswer answer) {
    finish(attempt, std::move(answer));
  });
}

void DeliveryLoop::finish(DeliveryAttempt attempt, WebhookAnswer answer) {
  slots_.end(attempt);
  const auto& target = attempt.target;
  target->tried.erase(attempt.delivery.id);
  gauges_.attempted(answer.outcome);
  if (target->gone) return;
  const bool delivered = answer.outcome == AttemptOutcome::kDelivered;
  DeliverySlots::judge(*target, delivered, answer.took);

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
  writer_.batch().put(target->row.id, delivery);
  const bool pending = delivery.status == DeliveryStatus::kPending;
  if (pending && !was_pending) ++target->pending;
  if (!pending && was_pending) settled(target);
  if (!was_pending) ++target->kept;
  target->dirty = true;
  if (attempt.source != nullptr) {
    attempt.source->open.erase(attempt.event->version);
    fill_more(target, *attempt.source);
  }
  slots_.add(target);
}

void DeliveryLoop::fail(const SharedTarget& target, DeliveryAttempt& attempt,
                        const WebhookAnswer& answer) {
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

void DeliveryLoop::settle_disabling(DeliveryTarget& target) {
  auto& progress = target.progress;
  if (!progress.disabling) return;
  if (target.row.details.is_active && target.row.updated_at <= progress.disabling_seen) return;
  progress.disabling.reset();
  target.asked = false;
  target.dirty = true;
}

void DeliveryLoop::disable(const SharedTarget& target) {
  target->asked = true;
  const auto now = parts_.clock.now();
  CommandRequest request{
      .stream = target->owner,
      .actor = std::string(kActor),
      .request_id = parts_.ids.uuid(now).text(),
      .decide = deciding(DisableWebhook{target->row.id, *target->progress.disabling,
                                        target->progress.disabling_seen})};
  parts_.registry.carry_out(std::move(request),
                            [this, inbox = inbox_, target](const Result<CommandResult>& outcome) {
                              inbox->post([this, target, done = static_cast<bool>(outcome)] {
                                if (target->gone) return;
                                if (done) return refresh(target->owner);
                                target->asked = false;
                                later_.emplace_back(parts_.steady() + kAfterTrouble, target);
                              });
                            });
}

void DeliveryLoop::measure() {
  const auto steady = parts_.steady();
  if (steady < next_measure_) return;
  next_measure_ = steady + kMeasuresAgain;
  const auto now = parts_.clock.now();
  auto oldest_retry = now;
  for (const auto& [at, whose] : due_at_) {
    if (!whose.first->may_send()) continue;
    const auto delivery = parts_.store.find(whose.first->row.id, whose.second);
    if (delivery && *delivery) oldest_retry = std::min(oldest_retry, (*delivery)->at);
    break;  // the next one
  }
  gauges_.measure(owners_, now, oldest_retry);
}

}  // namespace tilth
