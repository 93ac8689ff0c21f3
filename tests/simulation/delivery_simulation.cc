#include "tests/simulation/delivery_simulation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/integrations/webhook.h"
#include "command/land/farm.h"
#include "command/work/task_template.h"
#include "events/access/user.h"
#include "events/log/streams.h"
#include "tests/fixtures/records.h"
#include "tests/simulation/delivering_node.h"
#include "tests/simulation/delivery_ledger.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_receivers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using Kind = SimulatedTopic::Kind;
using Nature = SimulatedReceivers::Nature;

constexpr std::uint64_t kMostSteps = 1'000'000;
constexpr std::uint64_t kMostWebhooks = 4;  // of an owner
constexpr auto kTakesOver = 8s;             // by then another node has
constexpr auto kQuiet = 2500ms;             // a node with something to send would have
constexpr auto kLongWait = 30s;             // of a delivery that is tried at once nevertheless
constexpr auto kLongestDelay = 27h;         // between two attempts
constexpr int kMostDelays = 90;             // that a webhook is disabled is an event for others
constexpr auto kRetention = 24h * 31;       // of deliveries, and a day
constexpr auto kErased = 13s;               // by then a node has looked for what is old

class DeliverySimulation {
 public:
  DeliverySimulation(std::uint64_t seed, Senders senders, PlantedBug bug)
      : world_(seed, bug),
        divided_(senders == Senders::kDivided),
        land_(divided_ || !world_.once_in(3) ? Kind::kShared : Kind::kOwn,
              divided_ ? static_cast<int>(2 + world_.below(3)) : 1),
        cluster_(world_, static_cast<int>(1 + world_.below(2))),
        ledger_(world_, land_, !divided_),
        receivers_(world_, [this](const auto& post, int status) { arrived(post, status); }) {}

  SimulationReport run() {
    const auto owners = 1 + world_.below(3);
    for (std::uint64_t at = 0; at < owners; ++at) add_owner();
    const auto nodes = land_.kind() == Kind::kOwn ? 1 : 2 + world_.below(2);
    for (std::uint64_t at = 0; at < nodes; ++at) add_node();
    run_until([this] { return are_ready(); }, "nodes that do not begin");
    days_pass_ = world_.once_in(2);
    rotates_often_ = world_.once_in(6);
    requests_left_ = static_cast<int>(20 + world_.below(60));
    for (std::uint64_t clients = 1 + world_.below(3); clients > 0; --clients) {
      ++clients_;
      world_.after(world_.between(1ms, 1s), [this] { ask_next(); });
    }
    world_.after(world_.between(1ms, 2s), [this] { misfortune(); });
    run_until([this] { return clients_ == 0; }, "requests without a result");
    become_calm();
    run_until([this] { return are_ready(); }, "nodes that do not come to rest");
    ledger_.begin_rest();
    wait_for_quiet(kTakesOver);
    note_what_waits_for_an_owner();
    if (world_.violations().empty()) resend_what_waits();
    settle();
    if (world_.violations().empty()) ledger_.check();
    if (world_.violations().empty()) enable_again();
    if (world_.violations().empty()) resend_what_failed();
    if (world_.violations().empty()) compare_what_is_shown();
    if (world_.violations().empty()) look_for_what_was_removed();
    if (world_.violations().empty()) take_over_after_retention();
    if (world_.violations().empty()) look_for_what_was_removed();
    for (auto& node : nodes_) node->crash();
    return {world_.violations(), requests_,      ledger_.delivered(),
            ledger_.records(),   world_.steps(), crashes_};
  }

 private:
  void add_owner() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
    std::string id = "user_";
    for (int at = 0; at < 21; ++at) id += kLetters[world_.below(kLetters.size())];
    UserRegistered user;
    user.user_id = id;
    user.email = id + "@example.com";
    user.plan = "free";
    user.registered_at = world_.wall_clock();
    const auto version = static_cast<std::uint64_t>(access_.end(0));
    access_.store(0, record(std::string(kAccessStream), version, user));
    owners_.push_back(std::move(id));
  }

  void add_node() {
    nodes_.push_back(std::make_unique<DeliveringNode>(
        DeliveringNode::Parts{.world = world_,
                              .land = land_,
                              .access = access_,
                              .settled = settled_,
                              .receivers = receivers_,
                              .ledger = ledger_,
                              .cluster = divided_ ? &cluster_ : nullptr,
                              .name = "node-" + std::to_string(nodes_.size())}));
  }

  DeliveringNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }

  // The one that sends for that owner, if there is one.
  DeliveringNode& sender_of(const std::string& owner) {
    const auto found =
        std::ranges::find_if(nodes_, [&](const auto& each) { return each->is_sender_of(owner); });
    return found == nodes_.end() ? any_node() : **found;
  }

  // Owners, each of which waits for an answer and does not ask again.
  void ask_next() {
    if (requests_left_ <= 0) return void(--clients_);
    const auto next = [this] {
      world_.after(world_.once_in(3) ? 0us : world_.between(1ms, 3s), [this] { ask_next(); });
    };
    --requests_left_;
    auto& node = any_node();
    const auto& owner = owners_[world_.below(owners_.size())];
    asked_at_[owner].push_back(world_.wall_clock());
    auto request = next_request(owner, choose(node, owner));
    const auto sent =
        node.is_up() && node.land().carry_out(std::move(request), [next](const auto&) { next(); });
    if (!sent) next();
  }

  CommandRequest next_request(const std::string& owner, Decide decide) {
    return {.stream = owner,
            .actor = "key_1",
            .request_id = "request " + std::to_string(++requests_),
            .decide = std::move(decide)};
  }

  Decide choose(DeliveringNode& node, const std::string& owner) {
    const auto webhooks = ledger_.webhooks_of(owner);
    if (webhooks.empty() || (webhooks.size() < kMostWebhooks && world_.once_in(12))) {
      return new_webhook(owner);
    }
    if (rotates_often_ && world_.once_in(3)) return rotation(node, webhooks.front().id);
    if (!world_.once_in(3)) return new_event();
    const auto& webhook = webhooks[world_.below(webhooks.size())];
    const WebhookPath path{webhook.id};
    const auto activity = node.activity(webhook.id);
    switch (world_.below(8)) {
      case 0:
        return deciding(RemoveWebhook{path, activity});
      case 1: {
        AmendWebhook change{path, {}, activity};
        change.changes.types.to = types();
        return deciding(std::move(change));
      }
      case 2:
      case 3: {
        AmendWebhook change{path, {}, activity};
        change.changes.is_active.to = !webhook.is_active;
        return deciding(std::move(change));
      }
      case 4:
        return rotation(node, webhook.id);
      case 5:
        return replay(owner, path, node.replays(webhook.id));
      default: {
        const auto delivery = node.any_delivery(webhook.id);
        if (!delivery) return new_event();
        return deciding(ResendDelivery{path, delivery->id, delivery->event_version});
      }
    }
  }

  static Decide rotation(const DeliveringNode& node, const WebhookId& webhook) {
    return deciding(RotateWebhook{WebhookPath{webhook}, node.activity(webhook)});
  }

  // Of some seconds, since something was asked for, or of all that there is.
  Decide replay(const std::string& owner, const WebhookPath& webhook,
                const WebhookReplays& replays) {
    const auto now = world_.wall_clock().at;
    ReplayWebhook replay{.at = webhook, .replays = replays};
    if (world_.once_in(2)) {
      const auto& all = asked_at_.at(owner);
      replay.since = all[world_.below(all.size())];
    } else if (world_.once_in(2)) {
      replay.since.at = now - world_.between(1s, 60s) / 1ms * 1ms;
    }
    if (world_.once_in(2)) {
      const Timestamp until{now - world_.between(0s, 60s) / 1ms * 1ms};
      replay.until = std::max(until, replay.since);
    }
    if (world_.once_in(3)) replay.types = types();
    return deciding(std::move(replay));
  }

  void arrived(const WebhookPost& post, int status) {
    constexpr int kGone = 410;
    ledger_.arrived(post, status);
    if (status != kGone || world_.calm() || world_.once_in(2)) return;
    world_.after(world_.between(0us, 60ms), [this, url = post.url] { change(url); });
  }

  // An owner who changes each of its webhooks, such as while that one is to be disabled.
  void change(const std::string& url) {
    const auto& owner = owner_of_.at(url);
    auto& node = any_node();
    for (const auto& webhook : ledger_.webhooks_of(owner)) {
      if (!webhook.is_active || !node.is_up()) continue;
      AmendWebhook change{WebhookPath{webhook.id}, {}, node.activity(webhook.id)};
      change.changes.types.to = types();
      node.land().carry_out(next_request(owner, deciding(std::move(change))), [](const auto&) {});
    }
  }

  std::vector<std::string> types() {
    switch (world_.below(6)) {
      case 0:
        return {"tilth.farm.*"};
      case 1:
        return {"tilth.task_template.created"};
      case 2:
        return {"*.created", "tilth.f*.reg*d"};
      default:
        return {"*"};
    }
  }

  Decide new_webhook(const std::string& owner) {
    auto nature = Nature::kSound;
    if (world_.once_in(8)) nature = world_.once_in(2) ? Nature::kBroken : Nature::kGone;
    CreateWebhook webhook;
    webhook.details.url.address = receivers_.add(nature);
    owner_of_[webhook.details.url.address] = owner;
    webhook.details.types = types();
    return deciding(std::move(webhook));
  }

  Decide new_event() {
    const auto name = "Name " + std::to_string(requests_);
    if (world_.once_in(2)) return deciding(CreateTaskTemplate{{}, {.name = name}});
    return deciding(Create<Farm>{{}, {.name = name, .total_area = Decimal(10)}});
  }

  void misfortune() {
    if (world_.calm()) return;
    auto& node = any_node();
    switch (world_.below(11)) {
      case 0:
      case 1:
        if (!node.is_up()) break;
        ++crashes_;
        world_.once_in(4) ? node.stop() : node.crash();
        start_later(node);
        break;
      case 2:
        node.pause(world_.between(10ms, 12s));
        break;
      case 3:
      case 4: {
        const auto which = world_.below(3);  // one log, the other, or both
        node.set_reachable(which == 1, which == 0);
        world_.after(world_.between(10ms, 12s), [&node] { node.set_reachable(true, true); });
        break;
      }
      case 5:
        node.fill_disk(world_.between(10ms, 6s));
        break;
      case 6:
        if (divided_ && node.is_up()) drain(node);
        break;
      case 7:
        if (days_pass_) world_.pass(std::chrono::hours(1 + world_.below(30)));
        break;
      default:
        receivers_.befall();
        break;
    }
    world_.after(world_.between(20ms, 4s), [this] { misfortune(); });
  }

  void start_later(DeliveringNode& node) {
    world_.after(world_.between(1ms, 8s), [&node] {
      if (!node.is_up()) node.start();
    });
  }

  // It goes once it has given all away, and comes back.
  void drain(DeliveringNode& node) {
    node.land().share()->drain();
    world_.after(200ms, [this, &node, life = node.land().lives()] { go_when_drained(node, life); });
  }
  void go_when_drained(DeliveringNode& node, std::uint64_t life) {
    auto& land = node.land();
    if (world_.calm() || land.lives() != life || !node.is_up()) return;
    if (!land.share()->has_given_all_away() || !land.is_idle() || !node.leave()) {
      return world_.after(200ms, [this, &node, life] { go_when_drained(node, life); });
    }
    start_later(node);
  }

  void become_calm() {
    world_.become_calm();
    world_.note("nothing fails any more");
    cluster_.mend();
    for (auto& node : nodes_) {
      node->set_reachable(true, true);
      node->fill_disk(0us);
      if (node->is_up() && divided_ && node->land().share()->draining()) node->crash();
      if (!node->is_up()) node->start();
    }
  }

  // What waits is tried at once if its owner asks for it. It goes on with its attempts, and stays
  // the only delivery of its event.
  void resend_what_waits() {
    struct Waiting {
      std::string owner;
      WebhookId webhook;
      Delivery delivery;
      std::size_t deliveries;
    };
    std::vector<Waiting> all;
    for (const auto& owner : owners_) {
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        const auto& node = sender_of(owner);
        if (!webhook.is_active || node.replays(webhook.id).open > 0) continue;
        const auto waiting =
            node.waiting_delivery(webhook.id, {world_.wall_clock().at + kLongWait});
        if (!waiting) continue;
        all.push_back({owner, webhook.id, *waiting,
                       node.deliveries_of(webhook.id, waiting->event_id).size()});
        ask(owner,
            deciding(ResendDelivery{WebhookPath{webhook.id}, waiting->id, waiting->event_version}));
      }
    }
    if (all.empty()) return;
    wait_for_quiet(kQuiet);
    for (const auto& [owner, webhook, before, deliveries] : all) {
      // By 410 for another event, so that this one was not tried any more.
      if (is_disabled(owner, webhook)) continue;
      const auto now = sender_of(owner).deliveries_of(webhook, before.event_id);
      if (now.size() != deliveries) {
        world_.violated(before.event_id + " has another delivery, though one was waiting");
      }
      const auto same = std::ranges::find(now, before.id, &Delivery::id);
      if (same == now.end() || same->attempt <= before.attempt) {
        world_.violated(before.event_id + " was not tried again at its owner's wish");
      }
    }
  }

  bool is_disabled(const std::string& owner, const WebhookId& id) {
    return std::ranges::any_of(ledger_.webhooks_of(owner),
                               [&](const auto& each) { return each.id == id && each.is_disabled; });
  }

  // Lets so much time pass that all is sent that is sent at all, and once more, so that what should
  // not be sent would be.
  void settle() {
    ledger_.begin_late();
    for (int delays = 0; delays < kMostDelays && ledger_.missing() > 0; ++delays) {
      world_.pass(world_.once_in(3) ? std::chrono::hours(1 + world_.below(12)) : kLongestDelay);
      wait_for_quiet(kQuiet);
      ledger_.check_retries();
    }
    world_.pass(kLongestDelay);
    wait_for_quiet(kQuiet);
  }

  // All receivers are sound, and what was disabled is made active: it gets what waited meanwhile.
  void enable_again() {
    receivers_.mend();
    for (const auto& owner : owners_) {
      ask(owner, deciding(CreateTaskTemplate{{}, {.name = "What happens meanwhile"}}));
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        if (!webhook.is_disabled) continue;
        AmendWebhook change{WebhookPath{webhook.id}, {}, {}};
        change.changes.is_active.to = true;
        ask(owner, deciding(std::move(change)));
      }
    }
    wait_for_quiet(kTakesOver);
    settle();
    if (world_.violations().empty()) ledger_.check();
  }

  // An event that was given up is sent once more if its owner asks for it.
  void resend_what_failed() {
    std::vector<std::pair<WebhookId, std::string>> resent;
    for (const auto& owner : owners_) {
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        const auto failed = any_node().failed_delivery(webhook.id);
        if (!failed || !webhook.is_active) continue;
        resent.emplace_back(webhook.id, failed->event_id);
        ask(owner,
            deciding(ResendDelivery{WebhookPath{webhook.id}, failed->id, failed->event_version}));
      }
    }
    wait_for_quiet(kQuiet);
    for (const auto& [webhook, event] : resent) {
      if (ledger_.has_got(webhook, event)) continue;
      world_.violated("A webhook has not got " + event + ", though its owner has asked for it");
    }
  }

  // What the node that sends shows of what has been sent is what has come of it. Another one may
  // have stored something that it could not tell the others.
  void compare_what_is_shown() {
    for (const auto& owner : owners_) {
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        compare_what_is_shown(sender_of(owner), webhook);
      }
    }
  }
  void compare_what_is_shown(const DeliveringNode& node, const DeliveryLedger::Known& webhook) {
    const auto shown = node.events_of(webhook.id, DeliveryStatus::kDelivered);
    const auto waiting = node.events_of(webhook.id, DeliveryStatus::kPending);
    for (const auto& event : ledger_.late_events_of(webhook.id)) {
      if (shown.contains(event) && !waiting.contains(event)) continue;
      world_.violated(event + " is not shown as delivered, though it has arrived");
    }
    if (!node.would_go_on_with_what_waits(webhook.id)) {
      world_.violated("A node that starts would go on with other deliveries than those that wait");
    }
    if (webhook.is_active && node.replays(webhook.id).open > 0) {
      world_.violated("A replay counts as under way, though it has come to an end");
    }
    const auto last = ledger_.late_success_of(webhook.id);
    const auto known = node.activity(webhook.id).last_success_at;
    if (last && (!known || std::chrono::abs(known->at - last->at) > 1s)) {
      world_.violated("The last success of a webhook is not shown");
    }
  }

  // A webhook that was removed leaves nothing behind where its owner's events are sent.
  void look_for_what_was_removed() {
    for (const auto& owner : owners_) {
      const auto& node = sender_of(owner);
      for (const auto& webhook : ledger_.removed_of(owner)) {
        if (!node.keeps_any_of(webhook)) continue;
        world_.violated("A webhook was removed, and the node that sends still knows of it");
      }
    }
  }

  // While a webhook is inactive, what waits for it stays, however old it gets.
  void note_what_waits_for_an_owner() {
    for_each_deactivated([this](const DeliveringNode& node, const WebhookId& webhook) {
      waits_for_owner_[webhook] = node.events_of(webhook, DeliveryStatus::kPending);
    });
  }
  void look_for_what_waits_for_an_owner() {
    for_each_deactivated([this](const DeliveringNode& node, const WebhookId& webhook) {
      const auto waiting = node.events_of(webhook, DeliveryStatus::kPending);
      for (const auto& event : waits_for_owner_[webhook]) {
        if (waiting.contains(event)) continue;
        world_.violated(event + " no longer waits for a webhook that was deactivated");
      }
    });
  }
  template <class Visit>
  void for_each_deactivated(const Visit& visit) {
    for (const auto& owner : owners_) {
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        if (!webhook.is_active && !webhook.is_disabled) visit(sender_of(owner), webhook.id);
      }
    }
  }

  // What is old is kept no longer, and whichever node sends then knows what has arrived.
  void take_over_after_retention() {
    world_.pass(kRetention);
    wait_for_quiet(kErased);
    const Timestamp before{world_.wall_clock().at - kRetention};
    for (const auto& owner : owners_) {
      for (const auto& webhook : ledger_.webhooks_of(owner)) {
        if (sender_of(owner).keeps_settled(webhook.id, before)) {
          world_.violated("A delivery is kept for more than 30 days");
        }
      }
    }
    look_for_what_waits_for_an_owner();
    auto& node = sender_of(owners_.front());
    node.stop();
    world_.after(kTakesOver, [&node] { node.start(); });
    run_until([&] { return node.is_up() && are_ready(); }, "nodes that do not begin again");
    wait_for_quiet(kTakesOver);
  }

  // Once nothing fails any more.
  void ask(const std::string& owner, Decide decide) {
    const auto done = [this](const Result<CommandResult>& result) {
      if (!result) world_.violated("A request was refused: " + result.error().message);
    };
    if (!any_node().land().carry_out(next_request(owner, std::move(decide)), done)) {
      world_.violated("A node takes no request, though it is at rest");
    }
  }

  void wait_for_quiet(World::Micros time) {
    auto requests = ledger_.requests();
    auto since = world_.now();
    run_until(
        [&] {
          if (std::exchange(requests, ledger_.requests()) != requests || !are_idle()) {
            since = world_.now();
          }
          return world_.now() > since + time;
        },
        "nodes that always send");
  }

  bool are_ready() const {
    return std::ranges::all_of(nodes_,
                               [](const auto& each) { return each->land().is_at_rest(); }) &&
           are_idle();
  }
  bool are_idle() const {
    return std::ranges::all_of(nodes_, [](const auto& each) { return each->is_idle(); });
  }

  template <class Done>
  void run_until(const Done& done, const std::string& otherwise) {
    world_.run_until(done, kMostSteps, otherwise);
  }

  World world_;
  const bool divided_;
  SimulatedTopic land_, access_{Kind::kShared, 1}, settled_{Kind::kShared, 1};
  SimulatedCluster cluster_;
  DeliveryLedger ledger_;
  SimulatedReceivers receivers_;
  std::vector<std::string> owners_;
  std::map<std::string, std::string> owner_of_;             // by URL of a webhook
  std::map<std::string, std::vector<Timestamp>> asked_at_;  // by owner
  std::map<WebhookId, std::set<std::string>> waits_for_owner_;
  std::vector<std::unique_ptr<DeliveringNode>> nodes_;
  bool days_pass_ = false, rotates_often_ = false;
  int requests_left_ = 0, clients_ = 0;
  std::size_t requests_ = 0;
  std::uint64_t crashes_ = 0;
};

}  // namespace

SimulationReport simulate_deliveries(std::uint64_t seed, Senders senders, PlantedBug bug) {
  return DeliverySimulation(seed, senders, bug).run();
}

}  // namespace tilth::testing
