#include "tests/simulation/farmers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "command/finance/cost.h"
#include "command/finance/sale.h"
#include "command/land/block.h"
#include "command/land/crop.h"
#include "command/land/farm.h"
#include "command/land/plant.h"
#include "command/library/admin_crop.h"
#include "command/library/user_crop.h"
#include "command/market/price_report.h"
#include "command/work/recurring_task.h"
#include "command/work/task.h"
#include "command/work/task_template.h"
#include "projections/land/field.h"
#include "projections/operations/fertigation.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/leaf_sample.h"
#include "projections/operations/soil_sample.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kForLaggingCells = 5s;  // how long a change of the reference data waits for them
constexpr int kMostTries = 12;
constexpr int kMostTogether = 8;
constexpr std::int64_t kFarmLimit = 3;  // fewer than there are names
constexpr std::array<std::string_view, 3> kTimeZones{"UTC", "Asia/Tokyo", "America/New_York"};

template <class Command>
CommandRequest request_of(Command command) {
  CommandRequest request;
  request.decide = deciding(std::move(command));
  return request;
}

// Of a change: what to show if it changes nothing.
template <class Row, class Command>
CommandRequest change_of(const Id<Row>& id, Command command) {
  auto request = request_of(std::move(command));
  request.shown_table = Row::kTable;
  request.shown_id = id.uuid;
  return request;
}

}  // namespace

std::string keys_of(std::uint64_t farmer) { return "farmer-" + std::to_string(farmer) + "-"; }

Farmer::Farmer(World& world, std::vector<std::unique_ptr<SimulatedNode>>& nodes, Ledger& ledger,
               Library& library, std::string owner, int requests, std::optional<std::string> keys,
               World::Micros longest_pause)
    : world_(world),
      nodes_(nodes),
      ledger_(ledger),
      library_(library),
      owner_(std::move(owner)),
      requests_(requests),
      keys_(std::move(keys)),
      longest_pause_(longest_pause),
      builds_up_(world.once_in(3)),
      hurries_(!builds_up_ && world.once_in(6)),
      plans_(!builds_up_ && !hurries_ && world.once_in(6)) {
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

// As timers do: a little before and after the instants at which rules fall due.
World::Micros Farmer::until_a_full_second(const SimulatedNode& node) {
  const auto now = node.now().at;
  const World::Micros left = std::chrono::ceil<std::chrono::seconds>(now) - now;
  return std::max<World::Micros>(left + world_.between(0us, 30ms) - 15ms, 0us);
}

void Farmer::ask_one(SimulatedNode& node) {
  new_farm_.reset();
  auto request = choose();
  request.stream = owner_;
  request.actor = is_operator() ? std::string(kOperatorActor) : "key_1";
  request.farm_limit = kFarmLimit;
  if (keys_ && !world_.once_in(3)) {
    request.idempotency = Idempotency{*keys_ + std::to_string(++keys_used_), "hash"};
  }
  ask({std::move(request), new_farm_}, kMostTries, node);
  if (plans_ && shown_) read(*shown_, node);  // what falls due meanwhile
}

// Now and then it asks for what it knows to be done, or uses the key for something else.
bool Farmer::repeats(Wish wish) {
  if (!wish.request.idempotency || !world_.once_in(12)) return false;
  if (world_.once_in(3)) wish.request.idempotency->request_hash = "another";
  world_.after(world_.between(0us, 3s), [this, wish] { ask(wish, kMostTries, any_node()); });
  return true;
}

void Farmer::ask(const Wish& wish, int times_left, SimulatedNode& node) {
  if (times_left == 0) return go_on();
  const auto& request = wish.request;
  auto attempt = ledger_.begin(request, wish.new_farm);
  auto sent = request;
  sent.request_id = attempt->request_id;
  sent.decide = ledger_.watched(attempt);
  if (times_left < kMostTries && world_.has(PlantedBug::kIdempotencyKeyIsDropped)) {
    sent.idempotency.reset();
  }
  const auto again = [this, wish, times_left] {
    world_.after(world_.between(1ms, 800ms), [=, this] { ask(wish, times_left - 1, any_node()); });
  };
  const auto done = [this, wish, attempt, again, &node,
                     sent_at = world_.now()](const Result<CommandResult>& result) {
    ledger_.ended(attempt, result);
    const bool may_lag = is_operator() && (world_.now() >= sent_at + kForLaggingCells ||
                                           node.last_ordered() >= sent_at);
    if (result && result->position && !may_lag && !node.shows(owner_, *result->position)) {
      world_.violated(attempt->request_id + " was acknowledged by " + node.name() +
                      ", which does not show it yet");
    }
    const bool repeatable = wish.request.idempotency.has_value();
    if (!result && result.error().retry_after_seconds > 0 && repeatable) return again();
    if (result) learn(*result);
    if (result && result->position && world_.once_in(3)) read(*result->position, any_node());
    if (result && result->position) shown_ = *result->position;
    if (!repeats(wish)) go_on();
  };
  if (!node.carry_out(std::move(sent), done)) {
    ledger_.not_sent(attempt);
    again();
  }
}

// What an answer has shown.
void Farmer::read(const Position& since, SimulatedNode& node) {
  if (!node.is_ready()) return;
  node.read(owner_, since, [this, since](std::optional<std::uint64_t> version) {
    version ? ledger_.was_read(owner_, since, *version) : ledger_.was_not_read();
  });
}

CommandRequest Farmer::choose() {
  if (is_operator()) return about_the_library();
  if (known_.farms.empty() || world_.once_in(hurries_ ? 3 : 12)) return about_a_new_farm();
  if (hurries_ && world_.once_in(2)) return about_a_farm();
  if (builds_up_ && known_.blocks.empty()) return about_a_new_block();
  if (builds_up_ && world_.once_in(3)) return about_what_grows();
  if (plans_ && known_.templates.empty()) return about_a_rule();
  if (plans_ && !world_.once_in(4)) return about_a_task();
  switch (world_.below(library_.empty() ? 4 : 5)) {
    case 0:
      return about_a_farm();
    case 1:
      return about_a_task();
    case 2:
      return about_money();
    case 3:
      return about_what_grows();
    default:
      return about_a_shortlist();
  }
}

CommandRequest Farmer::about_a_new_farm() {
  new_farm_ = name();
  return request_of(Create<Farm>{{}, {.name = *new_farm_, .total_area = Decimal(10)}});
}

// Or of what it lies on.
CommandRequest Farmer::about_a_new_block() {
  if (known_.crops.empty()) return about_money();
  const auto& [crop, field] = one_of(known_.crops);
  return request_of(Create<Block>{field, {.crop_id = crop, .name = name()}});
}

// Of what lies on a field, or on a block.
CommandRequest Farmer::without_one() {
  switch (world_.below(4)) {
    case 0:
      return request_of(Delete<Block>{one_of(known_.blocks)});
    case 1:
      if (known_.plants.empty()) break;
      return request_of(Delete<Plant>{one_of(known_.plants)});
    case 2:
      if (known_.sales.empty()) break;
      return request_of(Delete<Sale>{one_of(known_.sales)});
    default:
      break;
  }
  return request_of(Delete<Crop>{CropPath{one_of(known_.crops).first}});
}

// One of each kind of row that goes with a field, a block or a crop.
CommandRequest Farmer::about_what_grows() {
  if (known_.crops.empty() || known_.fields.empty()) return about_money();
  const auto now = world_.wall_clock();
  const auto& [of_farm, of_field] = one_of(known_.fields);
  const FieldPath field{of_farm, of_field};
  switch (world_.below(known_.blocks.empty() ? 4 : 8)) {
    case 0:
      return request_of(Create<Irrigation>{
          field, {.started_at = now, .duration_minutes = 9, .water_volume = Decimal(1)}});
    case 1:
      return request_of(Create<SoilSample>{field, {.sampled_at = now}});
    case 2:
    case 3:
      return about_a_new_block();
    case 4:
      return request_of(Create<LeafSample>{one_of(known_.blocks), {.sampled_at = now}});
    case 5:
      return request_of(Create<Fertigation>{
          one_of(known_.blocks), {.applied_at = now, .product = name(), .amount = Decimal(1)}});
    case 6:
      return without_one();
    default:
      return request_of(Create<Plant>{one_of(known_.blocks), {.label = name(), .tag_id = name()}});
  }
}

// The only requests about these rows: the ledger knows by the table that they read reference data.
CommandRequest Farmer::about_a_shortlist() {
  if (!known_.shortlist.empty() && world_.once_in(4)) {
    const auto& entry = one_of(known_.shortlist);
    return change_of(entry, Delete<UserCrop>{UserCropPath{entry}});
  }
  CreateUserCrop entry;
  // Often one that other nodes may not know of yet.
  entry.admin_crop_id = world_.once_in(2) ? library_.back() : one_of(library_);
  if (world_.once_in(2)) entry.farm_id = one_of(known_.farms);
  auto request = request_of(std::move(entry));
  request.shown_table = UserCrop::kTable;
  return request;
}

CommandRequest Farmer::about_the_library() {
  DescribeCrop crop;
  if (!library_.empty() && world_.once_in(2)) crop.id = one_of(library_);
  if (!crop.id || world_.once_in(2)) crop.changes.name.to = name();
  crop.changes.is_verified.to = true;
  crop.changes.is_active.to = !world_.once_in(3);
  return request_of(std::move(crop));
}

CommandRequest Farmer::about_a_farm() {
  const FarmPath farm{one_of(known_.farms)};
  switch (world_.below(5)) {
    case 0: {
      auto request = request_of(Delete<Farm>{farm});
      if (known_.tagged == farm.farm_id) request.if_match = {{*known_.tag}};
      return request;
    }
    case 1:
      return request_of(Create<Field>{farm, {.name = name(), .area = Decimal(4)}});
    case 2:
      if (known_.fields.empty()) break;
      return request_of(Delete<Field>{{one_of(known_.fields).first, one_of(known_.fields).second}});
    default:
      break;
  }
  Update<Farm> update{farm, {}};
  if (!world_.once_in(5)) update.changes.name.to = name();
  if (world_.once_in(5)) {
    const auto zone = kTimeZones[world_.below(kTimeZones.size())];
    update.changes.timezone.to = TimeZone::stored(std::string(zone));
  }
  auto request = change_of(farm.farm_id, std::move(update));
  if (known_.tagged == farm.farm_id && world_.once_in(2)) request.if_match = {{*known_.tag}};
  return request;
}

// A time that comes while requests are under way, and around which they are sent.
Timestamp Farmer::soon() {
  const auto later = world_.wall_clock().at + world_.between(1s, 2s);
  return {std::chrono::floor<std::chrono::seconds>(later)};
}

// All of its rules pause, go on or end.
CommandRequest Farmer::about_a_template() {
  const TaskTemplatePath at{one_of(known_.templates)};
  if (world_.once_in(4)) return change_of(at.template_id, Delete<TaskTemplate>{at});
  Update<TaskTemplate> update{at, {}};
  update.changes.is_active.to = world_.once_in(2);
  return change_of(at.template_id, std::move(update));
}

// One that makes a task soon, or in some hours.
CommandRequest Farmer::about_a_rule() {
  if (known_.templates.empty() || world_.once_in(8)) {
    return request_of(CreateTaskTemplate{{}, {.name = name()}});
  }
  if (world_.once_in(4)) return about_a_template();
  RecurringTaskDetails<Own> rule;
  rule.template_id = one_of(known_.templates);
  rule.start_date = Timestamp{soon().at - (world_.once_in(4) ? 30h : 24h)};
  return request_of(CreateRecurringTask{{}, one_of(known_.farms), std::move(rule)});
}

CommandRequest Farmer::about_a_task() {
  const auto& farm = one_of(known_.farms);
  const auto choice = world_.below(8);
  if (choice < 2 || (plans_ && choice == 2)) return about_a_rule();
  if (choice < 5 || known_.tasks.empty()) {
    TaskDetails<Own> task;
    task.title = name();
    if (plans_ || world_.once_in(4)) {
      task.due_date = soon();
    } else if (world_.once_in(3)) {
      task.due_date = Timestamp{world_.wall_clock().at + 2h};
    }
    if (!known_.fields.empty() && world_.once_in(2)) task.field_id = one_of(known_.fields).second;
    return request_of(CreateTask{{}, farm, std::move(task)});
  }
  const TaskPath task{one_of(known_.tasks)};
  if (choice == 5) return request_of(Delete<Task>{task});
  if (choice == 6) return change_of(task.task_id, CompleteTask{task});
  Update<Task> update{task, {}};
  update.changes.title.to = name();
  return change_of(task.task_id, std::move(update));
}

CommandRequest Farmer::about_money() {
  if (known_.fields.empty()) {
    return request_of(Create<Field>{{one_of(known_.farms)}, {.name = name(), .area = Decimal(4)}});
  }
  if (known_.crops.empty() || world_.once_in(6)) {
    const auto& [farm, field] = one_of(known_.fields);
    return request_of(CreateCrop{{}, farm, field, {.crop_type = name()}});
  }
  if (world_.once_in(3)) return about_a_cost();
  const auto today = Date{std::chrono::floor<std::chrono::days>(world_.wall_clock().at)};
  if (world_.once_in(2)) {
    PriceReportDetails price;
    price.crop_name = name();
    price.price = Decimal(static_cast<std::int64_t>(1 + world_.below(9)));
    price.observed_on = today;
    return request_of(CreatePriceReport{{}, one_of(known_.farms), std::move(price)});
  }
  SaleDetails sale;
  sale.quantity = Decimal(static_cast<std::int64_t>(1 + world_.below(9)));
  sale.price_per_unit = Decimal(static_cast<std::int64_t>(1 + world_.below(9)));
  sale.sale_date = today;
  return request_of(Create<Sale>{CropPath{one_of(known_.crops).first}, std::move(sale)});
}

CommandRequest Farmer::about_a_cost() {
  const auto today = Date{std::chrono::floor<std::chrono::days>(world_.wall_clock().at)};
  const Decimal amount(static_cast<std::int64_t>(1 + world_.below(9)));
  if (world_.once_in(3)) {
    OverheadDetails overhead;
    overhead.cost = {.amount = amount, .transaction_date = today};
    return request_of(Create<Overhead>{{one_of(known_.farms)}, std::move(overhead)});
  }
  const auto& [farm, field] = one_of(known_.fields);
  ExpenseDetails expense;
  expense.cost = {.amount = amount, .transaction_date = today};
  if (world_.once_in(2)) {
    expense.field_id = field;
  } else if (world_.once_in(2)) {
    expense.crop_id = one_of(known_.crops).first;
  }
  return request_of(Create<Expense>{{farm}, std::move(expense)});
}

void Farmer::learn(const CommandResult& result) {
  if (!result.row) return;
  const auto& [table, bytes] = *result.row;
  if (table == Farm::kTable) {
    const auto farm = RowCodec<Farm>::decode(bytes);
    known_.farms.push_back(farm.id);
    known_.tagged = farm.id;
    known_.tag = entity_tag(render_json(farm, result.at));
  } else if (table == Field::kTable) {
    const auto field = RowCodec<Field>::decode(bytes);
    known_.fields.emplace_back(field.farm_id, field.id);
  } else if (table == Crop::kTable) {
    const auto crop = RowCodec<Crop>::decode(bytes);
    known_.crops.emplace_back(crop.id, FieldPath{crop.farm_id, crop.field_id});
  } else if (table == Block::kTable) {
    const auto block = RowCodec<Block>::decode(bytes);
    known_.blocks.push_back({block.farm_id, block.field_id, block.id});
  } else if (table == Plant::kTable) {
    const auto plant = RowCodec<Plant>::decode(bytes);
    known_.plants.push_back({{plant.farm_id, plant.field_id, plant.block_id}, plant.id});
  } else if (table == Sale::kTable) {
    const auto sale = RowCodec<Sale>::decode(bytes);
    known_.sales.push_back({{sale.where.crop_id}, sale.id});
  } else if (table == Task::kTable) {
    known_.tasks.push_back(RowCodec<Task>::decode(bytes).id);
  } else if (table == TaskTemplate::kTable) {
    known_.templates.push_back(RowCodec<TaskTemplate>::decode(bytes).id);
  } else if (table == UserCrop::kTable) {
    known_.shortlist.push_back(RowCodec<UserCrop>::decode(bytes).id);
  } else if (table == AdminCrop::kTable) {
    library_.push_back(RowCodec<AdminCrop>::decode(bytes).id);
  }
}

}  // namespace tilth::testing
