#include "tests/simulation/farmers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "command/access/erasure.h"
#include "command/work/due_rules.h"
#include "tests/simulation/land_wishes.h"
#include "tests/simulation/library_wishes.h"
#include "tests/simulation/money_wishes.h"
#include "tests/simulation/webhook_wishes.h"
#include "tests/simulation/work_wishes.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kForLaggingCells = 5s;  // how long a change of the reference data waits for them
constexpr auto kCommandTimeout = 5s;
constexpr int kMostTries = 12;
constexpr int kMostTogether = 8;

}  // namespace

std::string keys_of(std::uint64_t farmer) { return "farmer-" + std::to_string(farmer) + "-"; }

Farmer::Farmer(World& world, std::vector<std::unique_ptr<SimulatedNode>>& nodes, Ledger& ledger,
               KnownByOwner& known, std::string owner, int requests,
               std::optional<std::string> keys, World::Micros longest_pause, Concern concern,
               SentBatches* batches, bool sends_copies)
    : world_(world),
      nodes_(nodes),
      ledger_(ledger),
      known_by_owner_(known),
      owner_(std::move(owner)),
      requests_(requests),
      keys_(std::move(keys)),
      longest_pause_(longest_pause),
      builds_up_(world.below(5) < 2),
      hurries_(!builds_up_ && world.once_in(6)),
      plans_(!builds_up_ && !hurries_ && world.once_in(4)),
      tends_(!hurries_ && world.once_in(2)),
      known_(known[owner_]),
      chooser_(world, known, owner_, concern),
      batches_(owner_ == kReferenceStream ? nullptr : batches),
      sends_copies_(sends_copies) {
  world_.after(world_.between(0us, 20ms), [this] { ask_next(); });
}

void Farmer::go_on() {
  --requests_;
  if (--under_way_ > 0 || requests_ == 0) return;
  world_.after(world_.once_in(3) ? 0us : world_.between(0us, longest_pause_),
               [this] { ask_next(); });
}

// Now and then several at once, as a batch does, or one after the other without waiting.
void Farmer::ask_next() {
  if (batches_ != nullptr && requests_ > 1 && world_.once_in(3)) return ask_a_batch();
  auto& node = any_node();
  const bool several = plans_ ? !known_.templates.empty() : hurries_ || world_.once_in(4);
  under_way_ = several ? static_cast<int>(2 + world_.below(kMostTogether - 1)) : 1;
  under_way_ = std::min(under_way_, requests_);
  for (int together = under_way_; together > 0; --together) {
    if (!plans_) {
      ask_one(node);
    } else {
      world_.after(until_a_full_second(node), [this, &node] { ask_one(node); });
    }
  }
}

// Often of what is built upon each other.
void Farmer::ask_a_batch() {
  under_way_ = std::min(static_cast<int>(2 + world_.below(kMostTogether)), requests_);
  std::vector<Wish> wishes;
  if (world_.once_in(2)) {
    wishes = {a_new_farm(chooser_), a_new_field(chooser_), a_new_crop(chooser_),
              a_new_block(chooser_)};
    if (!known_.blocks.empty()) wishes.push_back(a_new_plant(chooser_));
  }
  while (std::ssize(wishes) < under_way_) wishes.push_back(choose());
  wishes.resize(static_cast<std::size_t>(under_way_));
  batches_->send(batched(world_, wishes),
                 {.owner = owner_,
                  .has_key = keys_ && !world_.once_in(3),
                  .learn = [this](const CommandResult& result) { learn(result); },
                  .read = [this](const Position& position) { read(owner_, position, any_node()); },
                  .done =
                      [this] {
                        for (auto left = under_way_; left > 0; --left) go_on();
                      }});
}

// As timers do: a little before and after the instants at which rules fall due.
World::Micros Farmer::until_a_full_second(const SimulatedNode& node) {
  const auto now = node.now().at;
  const World::Micros left = std::chrono::ceil<std::chrono::seconds>(now) - now;
  return std::max<World::Micros>(left + world_.between(0us, 30ms) - 15ms, 0us);
}

void Farmer::ask_one(SimulatedNode& node) {
  // As when a person is erased, whose clients go on until they are refused.
  const bool erases = !is_operator() && world_.once_in(plans_ ? 40 : 150);
  auto wish = erases ? wish_for(EraseRecords{}) : choose();
  auto& request = wish.request;
  request.stream = owner_;
  request.actor = is_operator() ? std::string(kOperatorActor) : "key_1";
  request.farm_limit = kFarmLimit;
  if (keys_ && !erases && !world_.once_in(3)) {
    request.idempotency = Idempotency{*keys_ + std::to_string(++keys_used_), "hash"};
  }
  ask(wish, kMostTries, node);
  if (sends_copies_) send_copy(wish, node);
  if (plans_ && shown_) read(owner_, *shown_, node);  // what falls due meanwhile
}

// As a proxy does that has no response in time. The first one usually still runs.
void Farmer::send_copy(const Wish& wish, SimulatedNode& node) {
  if (!wish.request.idempotency || !world_.once_in(3)) return;
  ++requests_, ++under_way_;
  auto& to = world_.once_in(3) ? any_node() : node;
  world_.after(world_.between(0us, 5ms), [this, wish, &to] { ask(wish, 1, to); });
}

// Now and then it asks for what it knows to be done, or uses the key for something else.
bool Farmer::repeats(const Attempt& attempt) {
  if (!attempt.request.idempotency || !world_.once_in(12)) return false;
  Wish wish{attempt.request, attempt.asked};
  if (world_.once_in(3)) wish.request.idempotency->request_hash = "another";
  world_.after(world_.between(0us, 3s), [this, wish] { ask(wish, kMostTries, any_node()); });
  return true;
}

void Farmer::ask(const Wish& wish, int times_left, SimulatedNode& node) {
  if (times_left == 0) return go_on();
  const auto& request = wish.request;
  auto attempt = ledger_.begin(request, wish.asked);
  auto sent = request;
  sent.request_id = attempt->request_id;
  sent.decide = ledger_.watched(attempt);
  if (times_left < kMostTries && world_.has(PlantedBug::kIdempotencyKeyIsDropped)) {
    sent.idempotency.reset();
  }
  const auto again = [this, attempt, times_left] {
    world_.after(world_.between(1ms, 800ms), [=, this] {
      ask({attempt->request, attempt->asked}, times_left - 1, any_node());
    });
  };
  const auto done = [this, attempt, again, &node,
                     sent_at = world_.now()](const Result<CommandResult>& result) {
    ledger_.ended(attempt, result);
    const auto& stream = attempt->request.stream;
    const bool may_lag =
        stream == kReferenceStream &&
        (world_.now() >= sent_at + kForLaggingCells || node.last_ordered() >= sent_at);
    if (result && result->position && !may_lag && !node.shows(stream, *result->position)) {
      world_.violated(attempt->request_id + " was acknowledged by " + node.name() +
                      ", which does not show it yet");
    }
    // docs/api.md, "Recurring task": tasks that are already due exist before the response.
    const bool in_time = world_.now() < sent_at + kCommandTimeout && node.last_ordered() < sent_at;
    const auto due_in =
        result && result->event && in_time ? node.version_if_due(stream, result->at) : std::nullopt;
    if (due_in && due_in == ledger_.version_at(stream, *result->position)) {
      world_.violated(attempt->request_id + " was acknowledged by " + node.name() +
                      " before what was due by then");
    }
    const bool repeatable = attempt->request.idempotency.has_value();
    if (!result && result.error().retry_after_seconds > 0 && repeatable) return again();
    if (result && stream == owner_) learn(*result);
    if (result && result->position && world_.once_in(3)) {
      read(stream, *result->position, any_node());
    }
    if (result && result->event && stream == kReferenceStream) {
      have_rules_visited(*result->event, any_node());
    }
    if (result && result->position && stream == owner_) shown_ = *result->position;
    if (!repeats(*attempt)) go_on();
  };
  if (!node.carry_out(std::move(sent), done)) {
    ledger_.not_sent(attempt);
    again();
  }
}

// As the node's clock has them visited, whose cell has read that event.
void Farmer::have_rules_visited(const Event& event, SimulatedNode& node) {
  for (const auto& visit : visits_after(kReferenceStream, event)) {
    for (const auto& [owner, its] : known_by_owner_) {
      if (its.rules.empty()) continue;
      auto wish = wish_for(visit);
      wish.request.stream = owner;
      wish.request.actor = kOperatorActor;
      ++requests_, ++under_way_;
      ask(wish, kMostTries, node);
    }
  }
}

// What an answer has shown.
void Farmer::read(const std::string& stream, const Position& since, SimulatedNode& node) {
  if (!node.is_ready()) return;
  node.read(stream, since, [this, stream, since](std::optional<std::uint64_t> version) {
    version ? ledger_.was_read(stream, since, *version) : ledger_.was_not_read();
  });
}

void Farmer::learn(const CommandResult& result) {
  known_.learn(result);
  // It may ask again for what was removed.
  if (result.event && !world_.once_in(3)) known_.forget(*result.event);
}

Wish Farmer::choose() {
  if (is_operator()) return about_the_reference_data(chooser_);
  if (known_.farms.empty() || world_.once_in(hurries_ ? 3 : 20)) return a_new_farm(chooser_);
  if (chooser_.trades()) return about_trade();
  if (chooser_.concern() != Concern::kNone && !world_.once_in(4)) return about_its_concern();
  if (hurries_ && world_.once_in(2)) return about_a_farm();
  if (builds_up_ && known_.blocks.empty()) return about_a_new_block();
  if (builds_up_ && world_.once_in(2)) return about_what_grows();
  if (plans_ && known_.templates.empty()) return about_a_rule();
  if (plans_ && !world_.once_in(4)) return about_a_task();
  if (tends_ && world_.once_in(2)) return about_what_it_has();
  switch (world_.below(chooser_.reference().library.empty() ? 5 : 6)) {
    case 0:
      return about_a_farm();
    case 1:
      return about_a_task();
    case 2:
      return about_money();
    case 3:
      return about_what_grows();
    case 4:
      return world_.once_in(4) ? about_a_webhook(chooser_) : about_what_it_has();
    default:
      return about_a_shortlist(chooser_);
  }
}

// Or of what it lies on.
Wish Farmer::about_a_new_block() {
  return known_.crops.empty() ? about_money() : a_new_block(chooser_);
}

// Of each kind that goes with a field, a block or a crop.
Wish Farmer::about_what_grows() {
  if (known_.crops.empty() || known_.fields.empty()) return about_money();
  if (known_.blocks.empty()) {
    return world_.once_in(2) ? a_new_block(chooser_) : a_new_operation(chooser_);
  }
  switch (world_.below(12)) {
    case 0:
    case 1:
      return a_new_operation(chooser_);
    case 2:
    case 3:
      return a_new_block(chooser_);
    case 4:
      return removed_land(chooser_);
    case 5:
      return a_removed_operation(chooser_);
    case 6:
    case 7:
    case 8:
      return a_new_plant(chooser_);
    default:
      return changed_growth(chooser_);
  }
}

Wish Farmer::about_what_it_has() {
  if (known_.fields.empty()) return a_changed_farm(chooser_);
  switch (world_.below(10)) {
    case 0:
      return known_.crops.empty() ? a_new_crop(chooser_) : removed_land(chooser_);
    case 1:
      return a_removed_operation(chooser_);
    case 2:
    case 3:
      return known_.crops.empty() ? a_new_crop(chooser_) : removed_money(chooser_);
    case 4:
    case 5:
      if (!known_.tasks.empty()) return a_changed_task(chooser_);
      break;
    case 6:
      if (!known_.rules.empty()) return a_changed_rule(chooser_);
      break;
    case 7:
      if (!known_.templates.empty()) return a_changed_template(chooser_);
      break;
    case 8:
      return a_new_operation(chooser_);
    default:
      break;
  }
  return changed_land(chooser_);
}

Wish Farmer::about_a_farm() {
  switch (world_.below(8)) {
    case 0:
      return a_removed_farm(chooser_);
    case 1:
    case 2:
      return a_new_field(chooser_);
    case 3:
      return known_.fields.empty() ? a_changed_farm(chooser_) : a_removed_field(chooser_);
    default:
      return a_changed_farm(chooser_);
  }
}

Wish Farmer::about_a_rule() {
  if (known_.templates.empty() || world_.once_in(8)) return a_new_template(chooser_);
  if (world_.once_in(5)) return a_changed_template(chooser_);
  if (world_.once_in(6)) return an_applied_template(chooser_);
  if (!known_.rules.empty() && world_.once_in(3)) return a_changed_rule(chooser_);
  return a_new_rule(chooser_);
}

Wish Farmer::about_a_task() {
  const auto choice = world_.below(8);
  if (choice < 2 || (plans_ && choice == 2)) return about_a_rule();
  const bool has_many = known_.tasks.size() > 3 && world_.once_in(2);
  if (known_.tasks.empty() || (choice < 5 && !has_many)) return a_new_task(chooser_, plans_);
  return choice == 5 ? a_removed_task(chooser_) : a_changed_task(chooser_);
}

// Of as many farms as there may be.
Wish Farmer::about_trade() {
  const std::set<FarmId> farms(known_.farms.begin(), known_.farms.end());
  if (std::ssize(farms) < kFarmLimit && world_.once_in(2)) return a_new_farm(chooser_);
  switch (world_.below(8)) {
    case 0:
      return a_changed_farm(chooser_);
    case 1:
      return about_money();
    case 2:
    case 3:
      return known_.crops.empty() ? about_money() : a_new_sale(chooser_);
    default:
      return a_new_price_report(chooser_);
  }
}

Wish Farmer::about_its_concern() {
  if (chooser_.concern() == Concern::kEvents) return about_a_webhook(chooser_);
  if (chooser_.concern() == Concern::kClocks) return about_clocks();
  if (chooser_.concern() == Concern::kRules) return about_many_rules();
  if (known_.fields.empty()) return a_new_field(chooser_);
  if (world_.once_in(3)) return about_the_soil();
  return known_.crops.empty() || world_.once_in(3) ? a_new_crop(chooser_)
                                                   : a_changed_crop(chooser_);
}

// What is known of it is that of the newest sample, of another if that is removed, or entered.
Wish Farmer::about_the_soil() {
  if (known_.soil_samples.size() < 2 || world_.once_in(3)) return a_new_sample(chooser_);
  return world_.once_in(2) ? a_field_with_another_ph(chooser_) : a_removed_sample(chooser_);
}

// Of rules, which go on by the clocks of their farms.
Wish Farmer::about_clocks() {
  if (known_.templates.empty()) return a_new_template(chooser_);
  if (known_.rules.empty()) return a_new_rule(chooser_);
  switch (world_.below(8)) {
    case 0:
    case 1:
    case 2:
      return a_farm_in_another_zone(chooser_);
    case 3:
    case 4:
      return a_changed_rule(chooser_);
    case 5:
      return a_changed_template(chooser_);
    default:
      return a_new_rule(chooser_);
  }
}

// Some of the rules wait for the next day, and are changed meanwhile.
Wish Farmer::about_many_rules() {
  constexpr std::size_t kTemplates = 2, kRules = 3;
  if (known_.templates.size() < kTemplates) return a_new_template(chooser_);
  if (known_.rules.size() < kRules) return a_new_rule(chooser_);
  switch (world_.below(10)) {
    case 0:
      return a_farm_in_another_zone(chooser_);
    case 1:
    case 2:
    case 3:
      return a_changed_rule(chooser_);
    case 4:
    case 5:
      return a_changed_template(chooser_);
    default:
      return a_new_rule(chooser_);
  }
}

Wish Farmer::about_money() {
  if (known_.fields.empty()) return a_new_field(chooser_);
  if (known_.crops.empty() || world_.once_in(6)) return a_new_crop(chooser_);
  if (world_.once_in(6)) return removed_money(chooser_);
  if (world_.once_in(3)) return a_new_cost(chooser_);
  return world_.once_in(2) ? a_new_price_report(chooser_) : a_new_sale(chooser_);
}

}  // namespace tilth::testing
