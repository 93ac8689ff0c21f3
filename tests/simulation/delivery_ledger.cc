#include "tests/simulation/delivery_ledger.h"

#include <algorithm>
#include <array>

#include <sodium.h>

#include "api/v1/history/event_line.h"
#include "api/webhooks/webhook_secret.h"
#include "events/log/event_record.h"
#include "infra/webhooks/delivery_sharing.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// As docs/webhooks.md says, give or take a tenth.
constexpr std::chrono::milliseconds kDelays[] = {5s, 1min, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h};
constexpr int kMostAttempts = 11, kGoneForGood = 410;
// A secret that was replaced signs for as long, and as many such secrets.
constexpr auto kReplacedSigns = 24h;
constexpr std::size_t kMostReplaced = 5;
constexpr auto kClocksApart = 400ms;  // at most

std::string_view header_of(const WebhookPost& post, std::string_view name) {
  for (const std::string_view header : post.headers) {
    if (header.starts_with(name) && header.substr(name.size()).starts_with(": "))
      return header.substr(name.size() + 2);
  }
  return {};
}

bool fits_pattern(std::string_view pattern, std::string_view type) {
  if (pattern.empty()) return type.empty();
  if (pattern.front() == '*' && fits_pattern(pattern.substr(1), type)) return true;
  if (type.empty() || (pattern.front() != '*' && pattern.front() != type.front())) return false;
  return fits_pattern(pattern.front() == '*' ? pattern : pattern.substr(1), type.substr(1));
}

bool fits(const std::vector<std::string>& types, std::string_view type) {
  return std::ranges::any_of(types,
                             [&](const auto& pattern) { return fits_pattern(pattern, type); });
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// As receivers work it out by the secret that their owner was shown.
std::string signature_by(std::string_view secret, std::string_view signed_text) {
  constexpr std::string_view kPrefix = "whsec_";
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  secret.remove_prefix(kPrefix.size());
  std::array<unsigned char, crypto_auth_hmacsha256_KEYBYTES> key{};
  sodium_base642bin(key.data(), key.size(), secret.data(), secret.size(), nullptr, nullptr, nullptr,
                    kVariant);
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> bytes{};
  crypto_auth_hmacsha256(bytes.data(), bytes_of(signed_text), signed_text.size(), key.data());
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
  text.pop_back();
  return "v1," + text;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
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
    webhook.secrets.emplace_back(created->secret_id, created->recorded_at);
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
    webhook.changed_at = version;
    if (amended->changes.types.to) webhook.types.emplace_back(version, *amended->changes.types.to);
    if (amended->changes.is_active.to) {
      webhook.is_active = *amended->changes.is_active.to;
      webhook.is_disabled = false;
    }
  } else if (const auto* rotated = event.get_if<WebhookSecretRotated>(); about(rotated)) {
    webhook.changed_at = version;
    webhook.secrets.emplace_back(rotated->secret_id, rotated->rotated_at);
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
  if (version >= webhook.first && asks_from(webhook, version, event.type)) return true;
  if (webhook.resends.contains(version)) return true;
  return std::ranges::any_of(webhook.replays, [&](const auto& replay) {
    const auto& [at, what] = replay;
    return version < at && is_in_time(what, event.time) &&
           (what.types ? fits(*what.types, event.type) : asks_from(webhook, at, event.type));
  });
}

// Whether the webhook asks for that type then, or later.
bool DeliveryLedger::asks_from(const Subscriber& webhook, std::uint64_t version,
                               const std::string& type) {
  for (auto each = webhook.types.rbegin(); each != webhook.types.rend(); ++each) {
    if (fits(each->second, type)) return true;
    if (each->first <= version) return false;
  }
  return false;
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
  Request request{.node = node, .tenure = tenures_[node], .at = world_.wall_clock()};
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
  judge_signature(node, turn, *webhook, post);
  judge_node(node, turn, *webhook, version, id);
  judge_late(node, *webhook, version, id);
  if (++attempts_[request.way] == 1 && is_late_) late_.emplace(request.way, 0);
  sent_at_[request.way] = streams_.at(owner).size();
  return request;
}

void DeliveryLedger::judge_node(const std::string& node, std::uint64_t turn,
                                const Subscriber& webhook, std::uint64_t version,
                                const std::string& event) {
  const auto about = event + " to " + webhook.url;
  // In the turn after that it takes down what it has heard.
  const auto heard = heard_stopped_.find({node, webhook.id});
  if (heard != heard_stopped_.end() && turn > heard->second + 1) {
    world_.violated(node + " has sent " + about + ", which it knew to get nothing");
  }
  constexpr auto kApart = DeliverySharing::kSilence - DeliverySharing::kBelieved;
  if (one_sends_ && last_ && last_->first != node && world_.now() < last_->second + kApart) {
    world_.violated(node + " has sent " + about + " right after " + last_->first);
  }
  last_ = {node, world_.now()};
  judge_again(node, webhook, version, event);
}

// How many deliveries of an event the node may have found that wait to be sent again. While an
// owner moves, several nodes may send for a moment, and none knows which deliveries the others have
// made: each tenure in which an attempt failed may have left one. The node sends all of these, and
// the event once more if nothing says that it was sent.
int DeliveryLedger::left_to(const std::string& node, const Way& way) const {
  const auto failed = failed_in_.find(way);
  if (failed == failed_in_.end()) return 0;
  const auto tenure = tenures_.find(node);
  const auto now = std::pair(node, tenure == tenures_.end() ? 0 : tenure->second);
  return static_cast<int>(failed->second.size() - failed->second.count(now));
}

// What a node sends, as far as itself knows.
void DeliveryLedger::judge_again(const std::string& node, const Subscriber& webhook,
                                 std::uint64_t version, const std::string& event) {
  const auto about = event + " to " + webhook.url;
  const Way way{webhook.id, event};
  auto& progress = progress_[node][way];
  const auto asked = reasons(webhook, version) + left_to(node, way);
  if (progress.under_way > asked) {
    world_.violated(node + " has sent " + about + " again before it was answered");
  }
  if (progress.delivered > asked) {
    world_.violated(node + " has sent " + about + " again, though it had arrived");
  }
  if (asked == 0 && (progress.is_gone || progress.attempts >= kMostAttempts)) {
    world_.violated(node + " has sent " + about + " again, though it had been given up");
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

// Whichever node sends.
void DeliveryLedger::judge_late(const std::string& node, const Subscriber& webhook,
                                std::uint64_t version, const std::string& event) {
  const auto known = late_.find({webhook.id, event});
  if (known != late_.end() && known->second > reasons(webhook, version)) {
    world_.violated(node + " has sent " + event + " to " + webhook.url +
                    " again, though it had arrived and nothing has failed since");
  }
}

// Those that a request has while the newest of these secrets is in force.
std::set<std::string> DeliveryLedger::signatures(const Subscriber& webhook, std::size_t newest,
                                                 Timestamp now, const WebhookPost& post) const {
  std::string text(header_of(post, "webhook-id"));
  text.append(".").append(header_of(post, "webhook-timestamp")).append(".").append(*post.body);
  std::set<std::string> all;
  for (auto at = newest + 1; at-- > 0 && newest - at <= kMostReplaced;) {
    const bool is_over =
        at < newest && now.at >= webhook.secrets[at + 1].second.at + kReplacedSigns;
    if (!is_over)
      all.insert(signature_by(webhook_secret(digest_, webhook.secrets[at].first), text));
  }
  return all;
}

// By what the node knows at least. Between two of its turns it may come to know more.
void DeliveryLedger::judge_signature(const std::string& node, std::uint64_t turn,
                                     const Subscriber& webhook, const WebhookPost& post) {
  const auto now = world_.wall_clock();
  const std::chrono::seconds at(
      std::stoll("0" + std::string(header_of(post, "webhook-timestamp"))));
  if (std::chrono::abs(at - now.at.time_since_epoch()) > 1s) {
    world_.violated(node + " has sent a request with another time than that of the attempt");
  }
  std::size_t known = 0;
  for (std::size_t each = 1; each < webhook.secrets.size(); ++each) {
    const auto heard = heard_rotated_.find({node, webhook.secrets[each].first});
    if (heard != heard_rotated_.end() && turn > heard->second + 1) known = each;
  }
  const auto words = words_of(header_of(post, "webhook-signature"));
  for (; known < webhook.secrets.size(); ++known) {
    if (words == signatures(webhook, known, now, post)) return;
    if (words == signatures(webhook, known, {now.at + kClocksApart}, post)) return;
  }
  world_.violated(node + " has sent a request to " + webhook.url +
                  " that is signed by other secrets than those in force");
}

void DeliveryLedger::answered(const Request& request, std::optional<int> status) {
  const bool delivered = status && *status < 300;
  if (delivered) {
    failed_at_.erase(request.way);
  } else {
    failed_at_[request.way] = world_.wall_clock();
    failed_in_[request.way].emplace(request.node, request.tenure);
  }
  if (const auto late = late_.find(request.way); late != late_.end() && delivered) ++late->second;
  if (delivered && is_late_) {
    auto& last = late_success_[request.way.first];
    last = std::max(last, request.at);
  }
  if (request.tenure != tenures_[request.node]) return;
  auto& progress = progress_[request.node][request.way];
  --progress.under_way;
  ++progress.attempts;
  if (delivered) ++progress.delivered;
  progress.is_gone = status == kGoneForGood;
  progress.failed_at = world_.wall_clock();
  const bool is_last =
      progress.attempts == kMostAttempts && left_to(request.node, request.way) == 0;
  if (is_at_rest_ && (progress.is_gone || (!delivered && is_last))) {
    given_up_[request.way.first] = sent_at_[request.way];
  }
  world_.note(request.node + (delivered ? " has delivered " : " has not delivered ") +
              request.way.second);
}

void DeliveryLedger::forget_sender(const std::string& node) {
  ++tenures_[node];
  progress_[node].clear();
}

void DeliveryLedger::heard(const std::string& node, std::uint64_t turns, const Record& record) {
  const auto event = read_event(record);
  if (!event) return;
  if (const auto* removed = event->get_if<WebhookRemoved>()) {
    heard_stopped_.try_emplace({node, removed->id}, turns);
  } else if (const auto* disabled = event->get_if<WebhookDisabled>()) {
    heard_stopped_.try_emplace({node, disabled->webhook_id}, turns);
  } else if (const auto* rotated = event->get_if<WebhookSecretRotated>()) {
    heard_rotated_.try_emplace({node, rotated->secret_id}, turns);
  } else if (const auto* amended = event->get_if<WebhookAmended>()) {
    const auto& active = amended->changes.is_active.to;
    if (active && *active) heard_stopped_.erase({node, amended->id});
    if (active && !*active) heard_stopped_.try_emplace({node, amended->id}, turns);
  }
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

void DeliveryLedger::check_retries() {
  read_on();
  for (const auto& [way, failed_at] : failed_at_) {
    const auto webhook = std::ranges::find(webhooks_, way.first, &Subscriber::id);
    if (!webhook->is_active || webhook->is_removed || delivered_.contains(way)) continue;
    const auto version = by_id_.at(way.second).second;
    if (!must_have(*webhook, version, streams_.at(webhook->owner)[version])) continue;
    if (may_be_given_up(*webhook, way.second)) continue;
    const auto delay = kDelays[attempts_.at(way) - 1];
    if (world_.wall_clock().at <= failed_at.at + delay * 11 / 10 + 1s) continue;
    world_.violated(webhook->url + " has not got " + way.second + " again in time");
  }
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
    const auto given_up = given_up_.find(webhook.id);
    if (webhook.is_active && given_up != given_up_.end() && given_up->second > webhook.changed_at) {
      world_.violated(webhook.url + " is not disabled, though it does not answer as it should");
    }
    if (webhook.is_disabled && !has_reason) {
      world_.violated(webhook.url + " is disabled without a reason");
    }
  }
}

std::vector<WebhookId> DeliveryLedger::removed_of(const std::string& owner) {
  read_on();
  std::vector<WebhookId> removed;
  for (const auto& webhook : webhooks_) {
    if (webhook.owner == owner && webhook.is_removed) removed.push_back(webhook.id);
  }
  return removed;
}

std::string DeliveryLedger::another_owner(const std::string& owner) {
  for (const auto& [name, events] : streams_) {
    if (name != owner) return name;
  }
  return owner;
}

std::set<std::string> DeliveryLedger::late_events_of(const WebhookId& webhook) const {
  std::set<std::string> events;
  for (const auto& [way, times] : late_) {
    if (way.first == webhook && times > 0) events.insert(way.second);
  }
  return events;
}

std::optional<Timestamp> DeliveryLedger::late_success_of(const WebhookId& webhook) const {
  const auto found = late_success_.find(webhook);
  return found == late_success_.end() ? std::nullopt : std::optional(found->second);
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
