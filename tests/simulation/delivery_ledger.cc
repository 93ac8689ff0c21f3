#include "tests/simulation/delivery_ledger.h"

#include <algorithm>

#include "api/v1/history/event_line.h"
#include "events/log/event_record.h"
#include "infra/webhooks/delivery_sharing.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// As docs/webhooks.md says, give or take a tenth.
constexpr std::chrono::milliseconds kDelays[] = {5s, 1min, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h};
constexpr int kMostAttempts = 11, kGoneForGood = 410;

std::string_view header_of(const WebhookPost& post, std::string_view name) {
  for (const std::string_view header : post.headers) {
    if (header.starts_with(name) && header.substr(name.size()).starts_with(": "))
      return header.substr(name.size() + 2);
  }
  return {};
}

// Only the patterns that the simulation uses: a name, or one that ends in *.
bool fits(const std::vector<std::string>& types, std::string_view type) {
  return std::ranges::any_of(types, [&](std::string_view pattern) {
    return pattern.ends_with('*') ? type.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : type == pattern;
  });
}

bool is_in_time(const WebhookReplayRequested& what, Timestamp time) {
  return time >= what.since && (!what.until || time < *what.until);
}

}  // namespace

void DeliveryLedger::read_on() {
  read_.resize(static_cast<std::size_t>(land_.partitions()));
  for (int partition = 0; partition < land_.partitions(); ++partition) {
    auto& read = read_[static_cast<std::size_t>(partition)];
    const auto& all = land_.records(partition);
    for (; read < all.size(); ++read) {
      if (gate_.admit(*all[read].record)) take(*all[read].record, own_event(all[read]));
    }
  }
}

void DeliveryLedger::take(const Record& record, const std::string& body) {
  ++records_;
  auto& stream = streams_[record.stream];
  const auto version = stream.size();
  const auto& envelope = record.envelope;
  stream.push_back({envelope.id, envelope.type, body, envelope.time});
  by_id_[envelope.id] = {record.stream, version};
  const auto event = read_event(record);
  if (!event) return;
  if (const auto* created = event->get_if<WebhookCreated>()) {
    Subscriber webhook{
        .id = created->id, .owner = record.stream, .url = created->details.url.address};
    webhook.first = version + 1;
    webhook.types.emplace_back(version, created->details.types);
    webhooks_.push_back(std::move(webhook));
  }
  for (auto& webhook : webhooks_) {
    if (webhook.owner == record.stream) fold(webhook, version, *event);
  }
}

void DeliveryLedger::fold(Subscriber& webhook, std::uint64_t version, const Event& event) {
  const auto about = [&](const auto* its) {
    return its != nullptr && its->webhook_id == webhook.id;
  };
  if (const auto* amended = event.get_if<WebhookAmended>(); amended && amended->id == webhook.id) {
    if (amended->changes.types.to) webhook.types.emplace_back(version, *amended->changes.types.to);
    if (amended->changes.is_active.to) {
      webhook.is_active = *amended->changes.is_active.to;
      webhook.is_disabled = false;
    }
  } else if (const auto* disabled = event.get_if<WebhookDisabled>(); about(disabled)) {
    webhook.is_active = false;
    webhook.is_disabled = true;
  } else if (const auto* resend = event.get_if<WebhookResendRequested>(); about(resend)) {
    ++webhook.resends[static_cast<std::uint64_t>(resend->event_version)];
  } else if (const auto* replay = event.get_if<WebhookReplayRequested>(); about(replay)) {
    webhook.replays.push_back({version, *replay});
  } else if (const auto* removed = event.get_if<WebhookRemoved>();
             removed && removed->id == webhook.id) {
    webhook.is_removed = true;
  }
}

DeliveryLedger::Subscriber* DeliveryLedger::find(const std::string& url) {
  const auto found = std::ranges::find(webhooks_, url, &Subscriber::url);
  return found == webhooks_.end() ? nullptr : &*found;
}

// How many resends and replays the owner has asked for of that event.
int DeliveryLedger::reasons(const Subscriber& webhook, std::uint64_t version) const {
  const auto resends = webhook.resends.find(version);
  int all = resends == webhook.resends.end() ? 0 : resends->second;
  const auto& event = streams_.at(webhook.owner)[version];
  for (const auto& [at, what] : webhook.replays) {
    if (version < at && is_in_time(what, event.time)) ++all;
  }
  return all;
}

bool DeliveryLedger::wants(const Subscriber& webhook, std::uint64_t version,
                           const Happened& event) const {
  const auto any_of_its = std::ranges::any_of(
      webhook.types, [&](const auto& each) { return fits(each.second, event.type); });
  if (version >= webhook.first && any_of_its) return true;
  if (webhook.resends.contains(version)) return true;
  return std::ranges::any_of(webhook.replays, [&](const auto& replay) {
    const auto& [at, what] = replay;
    return version < at && is_in_time(what, event.time) &&
           (what.types ? fits(*what.types, event.type) : any_of_its);
  });
}

// Whether the webhook asks for that type since then.
bool DeliveryLedger::asks_since(const Subscriber& webhook, std::uint64_t version,
                                const std::string& type) {
  for (auto each = webhook.types.rbegin(); each != webhook.types.rend(); ++each) {
    if (!fits(each->second, type)) return false;
    if (each->first <= version) return true;
  }
  return true;
}

// Whatever was asked for when it happened and later.
bool DeliveryLedger::must_have(const Subscriber& webhook, std::uint64_t version,
                               const Happened& event) const {
  return version >= webhook.first && asks_since(webhook, version, event.type);
}

// Whatever was asked for from then on.
bool DeliveryLedger::is_replayed(const Subscriber& webhook, std::uint64_t at,
                                 const WebhookReplayRequested& what, const Happened& event) {
  if (!is_in_time(what, event.time)) return false;
  return what.types ? fits(*what.types, event.type) : asks_since(webhook, at, event.type);
}

bool DeliveryLedger::may_be_given_up(const Subscriber& webhook, const std::string& event) const {
  const Way way{webhook.id, event};
  const auto attempts = attempts_.find(way);
  return gone_.contains(way) || (attempts != attempts_.end() && attempts->second >= kMostAttempts);
}

DeliveryLedger::Request DeliveryLedger::sent(const std::string& node, std::uint64_t turn,
                                             const WebhookPost& post) {
  read_on();
  ++requests_;
  const std::string id(header_of(post, "webhook-id"));
  Request request{.node = node, .tenure = tenures_[node]};
  auto* webhook = find(post.url);
  const auto event = by_id_.find(id);
  world_.note(node + " sends " + id + " to " + post.url);
  if (webhook == nullptr || event == by_id_.end()) {
    world_.violated(node + " has sent what there is not: " + id + " to " + post.url);
    return request;
  }
  const auto& [owner, version] = event->second;
  const auto& what = streams_.at(owner)[version];
  if (owner != webhook->owner) {
    world_.violated(node + " has sent an event of " + owner + " to " + webhook->owner);
    return request;
  }
  if (*post.body != what.body) world_.violated(node + " has sent another event as " + id);
  if (!wants(*webhook, version, what)) {
    world_.violated(node + " has sent " + what.type + " at " + std::to_string(version) + " to " +
                    post.url + ", which does not want it");
  }
  request.way = {webhook->id, id};
  judge_node(node, turn, *webhook, version, id);
  if (++attempts_[request.way] == 1 && is_late_) late_.insert(request.way);
  if (late_.contains(request.way)) ++late_requests_;
  sent_at_[request.way] = streams_.at(owner).size();
  return request;
}

void DeliveryLedger::judge_node(const std::string& node, std::uint64_t turn,
                                const Subscriber& webhook, std::uint64_t version,
                                const std::string& event) {
  const auto about = event + " to " + webhook.url;
  // In the turn after that it takes down what it has heard.
  const auto heard = heard_removed_.find({node, webhook.id});
  if (heard != heard_removed_.end() && turn > heard->second + 1) {
    world_.violated(node + " has sent " + about + ", which it knew to be removed");
  }
  constexpr auto kApart = DeliverySharing::kSilence - DeliverySharing::kBelieved;
  if (one_sends_ && last_ && last_->first != node && world_.now() < last_->second + kApart) {
    world_.violated(node + " has sent " + about + " right after " + last_->first);
  }
  last_ = {node, world_.now()};

  const Way way{webhook.id, event};
  const auto [known, is_new] = progress_[node].try_emplace(way);
  auto& progress = known->second;
  if (is_new) progress.is_from_before = attempts_.contains(way);
  const auto asked = reasons(webhook, version) + (progress.is_from_before ? 1 : 0);
  if (progress.under_way > asked) {
    world_.violated(node + " has sent " + about + " again before it was answered");
  }
  if (asked == 0 && progress.delivered) {
    world_.violated(node + " has sent " + about + " again, though it had arrived");
  }
  if (asked == 0 && progress.attempts > 0 && progress.attempts < kMostAttempts) {
    const auto waited = world_.wall_clock().at - progress.failed_at.at;
    if (waited < kDelays[progress.attempts - 1] * 9 / 10) {
      world_.violated(node + " has sent " + about + " again after " +
                      std::to_string(waited.count()) + " ms, as attempt " +
                      std::to_string(progress.attempts + 1));
    }
  }
  ++progress.under_way;
}

void DeliveryLedger::answered(const Request& request, bool delivered) {
  if (request.tenure != tenures_[request.node]) return;
  auto& progress = progress_[request.node][request.way];
  --progress.under_way;
  ++progress.attempts;
  progress.delivered = delivered;
  progress.failed_at = world_.wall_clock();
  world_.note(request.node + (delivered ? " has delivered " : " has not delivered ") +
              request.way.second);
}

void DeliveryLedger::forget_sender(const std::string& node) {
  ++tenures_[node];
  progress_[node].clear();
}

void DeliveryLedger::heard_of_removal(const std::string& node, std::uint64_t turns,
                                      const Record& record) {
  const auto event = read_event(record);
  if (event) heard_removed_.try_emplace({node, event->get<WebhookRemoved>().id}, turns);
}

void DeliveryLedger::arrived(const WebhookPost& post, int status) {
  const auto* webhook = find(post.url);
  if (webhook == nullptr) return;
  const Way way{webhook->id, std::string(header_of(post, "webhook-id"))};
  if (status < 300) delivered_.insert(way);
  if (status == kGoneForGood) gone_.insert(way);
}

std::size_t DeliveryLedger::missing() {
  read_on();
  std::size_t all = 0;
  for (const auto& webhook : webhooks_) {
    if (!webhook.is_active || webhook.is_removed) continue;
    const auto& stream = streams_.at(webhook.owner);
    for (std::uint64_t version = webhook.first; version < stream.size(); ++version) {
      const auto& event = stream[version];
      if (!must_have(webhook, version, event) || delivered_.contains({webhook.id, event.id}))
        continue;
      if (!may_be_given_up(webhook, event.id)) ++all;
    }
  }
  return all;
}

void DeliveryLedger::check() {
  read_on();
  for (const auto& webhook : webhooks_) {
    if (webhook.is_removed) continue;
    const auto& stream = streams_.at(webhook.owner);
    bool has_reason = false;
    for (std::uint64_t version = 0; version < stream.size(); ++version) {
      const auto& event = stream[version];
      has_reason = has_reason || may_be_given_up(webhook, event.id);
      const bool is_there = delivered_.contains({webhook.id, event.id});
      if (is_there || !webhook.is_active || !must_have(webhook, version, event)) continue;
      if (may_be_given_up(webhook, event.id)) continue;
      world_.violated(webhook.url + " has never got " + event.id + ", " + event.type + " at " +
                      std::to_string(version) + " of " + webhook.owner);
    }
    for (const auto& [at, what] : webhook.replays) {
      if (!webhook.is_active) break;
      for (std::uint64_t version = 0; version < at; ++version) {
        const auto& event = stream[version];
        if (!is_replayed(webhook, at, what, event) || may_be_given_up(webhook, event.id)) continue;
        const auto sent = sent_at_.find({webhook.id, event.id});
        if (sent != sent_at_.end() && sent->second > at) continue;
        world_.violated(webhook.url + " has not got " + event.id +
                        " again, though it was to be replayed");
      }
    }
    if (webhook.is_disabled && !has_reason) {
      world_.violated(webhook.url + " is disabled without a reason");
    }
  }
}

std::string DeliveryLedger::another_owner(const std::string& owner) {
  for (const auto& [name, events] : streams_) {
    if (name != owner) return name;
  }
  return owner;
}

std::vector<DeliveryLedger::Known> DeliveryLedger::webhooks_of(const std::string& owner) {
  read_on();
  std::vector<Known> known;
  for (const auto& webhook : webhooks_) {
    if (webhook.owner == owner && !webhook.is_removed)
      known.push_back({webhook.id, webhook.is_active, webhook.is_disabled});
  }
  return known;
}

}  // namespace tilth::testing
