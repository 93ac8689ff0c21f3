#include "tests/simulation/simulated_node.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>

#include "command/work/due_rules.h"
#include "events/log/streams.h"
#include "projections/rows/lists/wake_list.h"
#include "projections/rows/stored_head.h"
#include "projections/work/overdue.h"
#include "projections/work/task.h"
#include "tests/fixtures/noon_clock.h"
#include "tests/simulation/plain_answers.h"
#include "tests/simulation/plain_rules.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostCells = 3;
constexpr World::Micros kBetweenTicks = 200ms;
constexpr std::size_t kMostVisits = 64;
constexpr std::size_t kWholeCascade = 1'000;

Error died() {
  return {
      .code = ErrorCode::kUnavailable, .message = "The node has died.", .retry_after_seconds = 1};
}

LogLines& unread_lines() {
  static const NoonClock clock;
  static LogLines lines(clock, ::open("/dev/null", O_WRONLY | O_CLOEXEC), LogLines::Form::kText,
                        LogLevel::kError);
  return lines;
}

}  // namespace

SimulatedNode::SimulatedNode(World& world, SimulatedTopic& topic, std::string name, Around around)
    : world_(world),
      topic_(topic),
      name_(std::move(name)),
      clock_(world, std::chrono::milliseconds(world.below(400))),
      cascade_budget_(world.once_in(2) ? 1 + world.below(60) : kWholeCascade),
      log_(world, topic),
      market_(world),
      prices_(name_ == "node-1" ? 3 : 1),
      around_(std::move(around)),
      cluster_(around_.cluster) {
  if (cluster_ != nullptr) {
    announcements_ = std::make_unique<SimulatedLog>(world_, cluster_->announcements());
    cluster_->join(
        name_, {.take = [this](auto request,
                               auto to) { forwarded_->take(std::move(request), std::move(to)); },
                .is_up = [this] { return is_up(); },
                .is_paused = [this] { return is_paused(); },
                .reference = [this] { return forwarded_->reference(); },
                .lives = [this] { return lives_; }});
  }
  if (around_.log_on_disk) log_.keep_on_disk(around_.log_is_archived, around_.log_is_sealed);
  if (name_ == "node-1" && world.has(PlantedBug::kNodeMissesPredecessors)) log_.miss_predecessors();
  divide();
  start();
}

// A machine has more processors now than before, or other disks. Rows of another layout are
// dropped.
void SimulatedNode::divide() {
  layout_ = cluster_ != nullptr ? std::make_unique<CellLayout>(log_, topic_.partitions(),
                                                               CellLayout::ReferenceData::kApart)
                                : std::make_unique<CellLayout>(
                                      log_, static_cast<int>(1 + world_.below(kMostCells)));
  cells_.clear();
  for (int cell = 0; cell < layout_->cells(); ++cell) {
    cells_.push_back(std::make_unique<SimulatedCell>(world_));
  }
  stalled_until_.assign(cells_.size(), {});
  turns_.assign(cells_.size(), 0);
}

void SimulatedNode::start() {
  world_.note(name_ + " starts with " + std::to_string(cells_.size()) + " cells");
  ++lives_;
  started_ = world_.now();
  std::vector<CommandLoop*> loops;
  if (const auto opened = open(loops); !opened) return start_later(opened.error());
  all_ = std::make_unique<Cells>(*layout_, std::move(loops));
  follows_.assign(cells_.size(), cluster_ == nullptr);
  if (cluster_ != nullptr) return begin_share();
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) schedule(cell, 1ms);
  if (cascade_budget_ < kWholeCascade) tick();
}

std::int64_t SimulatedNode::rule_tasks_a_day() const {
  return around_.rule_tasks_a_day + (world_.has(PlantedBug::kDayHasOneTaskMore) ? 1 : 0);
}

Status SimulatedNode::open(std::vector<CommandLoop*>& loops) {
  for (int cell = 0; cell < layout_->cells(); ++cell) {
    CommandLoop::Sources sources{.node = name_,
                                 .now = [this] { return now(); },
                                 .new_id = [this] { return world_.uuid(); },
                                 .due = {decide_due, may_bring_forward},
                                 .rule_tasks_a_day = rule_tasks_a_day(),
                                 .steady = [this] { return world_.now(); }};
    if (around_.on_accepted || cluster_ != nullptr) {
      sources.on_accepted = [this, cell](const Event& event, const LoggedRecord& logged,
                                         const RowBytes*) {
        if (layout_->cell_of(logged.record->stream) == cell) on_accepted(event, logged);
      };
    }
    auto& its = *cells_[static_cast<std::size_t>(cell)];
    auto land = layout_->part_of(registry(), cell);
    land.cascade_budget = cascade_budget_;
    CommandLoop::Limits limits;
    // Then what is due on one stream waits for that of others.
    if (cascade_budget_ < kWholeCascade) limits.due_bytes = 1;
    const auto opened = its.open(log_, with_its_bug(std::move(land), cell),
                                 layout_->part_of(finance(), cell), std::move(sources), limits);
    if (!opened) return opened;
    its.apply(orders_);
    loops.push_back(&its.loop());
  }
  return market_.open(log_, market(),
                      {.node = name_,
                       .now = [this] { return now(); },
                       .new_id = [this] { return world_.uuid(); },
                       .steady = [this] { return world_.now(); }});
}

void SimulatedNode::on_accepted(const Event& event, const LoggedRecord& logged) {
  if (around_.on_accepted) around_.on_accepted(event, logged);
  if (forwarded_ && logged.record->stream == kReferenceStream)
    forwarded_->on_reference(logged.position);
}

// Such as with a full disk, in the middle of a removal.
void SimulatedNode::start_later(const Error& why) {
  if (why.code != ErrorCode::kUnavailable) must(why);
  world_.note(name_ + " cannot start: " + why.message);
  close();
  world_.after(world_.between(1ms, 2s), [this, life = lives_] {
    if (life == lives_) start();
  });
}

void SimulatedNode::close() {
  for (auto& cell : cells_) cell->close();
  market_.close();
}

void SimulatedNode::crash() {
  if (!is_up()) return;
  world_.note(name_ + " dies");
  ++lives_;
  all_->stop_waiting();
  if (api_) api_->stop();
  close();
  api_.reset();
  if (forwarded_) forwarded_->end(died());
  forwarded_.reset();
  all_.reset();
  share_.reset();
  log_.lose_power();
  if (world_.once_in(8)) return divide();
  if (!world_.once_in(2)) return;
  for (auto& cell : cells_) cell->lose_power();
  market_.lose_power();
}

void SimulatedNode::pause(World::Micros time) {
  world_.note(name_ + " pauses");
  paused_until_ = world_.now() + time;
}

void SimulatedNode::stall_a_cell(World::Micros time) {
  const auto cell = world_.below(cells_.size());
  world_.note(name_ + " has no processor for cell " + std::to_string(cell));
  stalled_until_[cell] = world_.now() + time;
}

void SimulatedNode::slow_a_partition(World::Micros time) {
  const auto partition =
      static_cast<int>(world_.below(static_cast<std::uint64_t>(topic_.partitions())));
  world_.note(name_ + " reads partition " + std::to_string(partition) + " late");
  log_.slow_down(partition, world_.now() + time);
}

void SimulatedNode::order(bool paused) {
  if (orders_.paused == paused) return;
  world_.note(name_ + (paused ? " is ordered to stand still" : " is ordered to go on"));
  orders_.paused = paused;
  last_ordered_ = world_.now();
  if (!is_up()) return;
  for (auto& cell : cells_) cell->apply(orders_);
}

void SimulatedNode::rebuild_a_cell() {
  if (!is_up()) return;
  const auto cell = world_.below(cells_.size());
  world_.note(name_ + " builds cell " + std::to_string(cell) + " again");
  must(cells_[cell]->rebuild());
}

void SimulatedNode::archive_log() {
  if (is_up() && around_.log_is_archived) log_.archive();
}

void SimulatedNode::schedule(std::size_t cell, World::Micros delay) {
  world_.after(delay, [this, cell, life = lives_, number = ++turns_[cell]] {
    if (life == lives_ && number == turns_[cell] && follows_[cell]) turn(cell);
  });
}

void SimulatedNode::turn(std::size_t cell) {
  const auto until = std::max(paused_until_, stalled_until_[cell]);
  if (until > world_.now() && !world_.calm()) return schedule(cell, 50ms);
  const auto turned = cells_[cell]->turn();
  if (!turned) must(turned.error());
  const bool removes = !cells_[cell]->loop().projector().no_cascade_pending();
  if (removes && around_.cut_short && world_.fails_once_in(25)) {
    world_.after(0us, [this, life = lives_] {
      if (life == lives_) around_.cut_short(*this);
    });
  }
  bool busy = turned && *turned;
  if (cell == 0 && cluster_ == nullptr) {
    const auto followed = market_.turn();
    if (!followed && followed.error().code != ErrorCode::kUnavailable) must(followed.error());
    busy = busy || (followed && *followed);
  }
  if (!busy && cluster_ != nullptr) {
    const bool waits = cells_[cell]->loop().waiting() > 0;
    return schedule(cell, waits ? world_.between(1ms, 15ms) : world_.between(20ms, 200ms));
  }
  const auto idle = 10ms * (1 + cells_.size());
  schedule(cell, busy ? world_.between(20us, 500us) : world_.between(1ms, idle));
}

// On the other nodes, what is due waits for a command.
void SimulatedNode::tick() {
  world_.after(kBetweenTicks, [this, life = lives_] {
    if (life != lives_) return;
    if (paused_until_ <= world_.now()) visit_what_is_due();
    tick();
  });
}

// As the node's clock does.
void SimulatedNode::visit_what_is_due() {
  for (const auto cell : all_->held()) {
    const auto view = all_->at(cell).projector().view({});
    if (!view) continue;
    for (const auto& stream : streams_to_wake(*view->state, now(), kMostVisits)) {
      if (!visited_.insert(stream).second) continue;
      carry_out_here({.stream = stream,
                      .actor = std::string(kClockActor),
                      .request_id = name_ + std::string(kTicks) + std::to_string(++visits_),
                      .decide = {}},
                     [this, stream](const auto&) { visited_.erase(stream); });
    }
  }
}

void SimulatedNode::must(const Status& done) {
  if (!done) world_.violated("Node " + name_ + " cannot go on: " + done.error().message);
}

bool SimulatedNode::carry_out(CommandRequest request, CommandLoop::OnDone done) {
  if (!is_ready()) return false;
  if (world_.has(PlantedBug::kPreconditionIsIgnored)) request.if_match.reset();
  // What a process that dies has found out reaches no client.
  auto told = [this, life = lives_, done = std::move(done)](const Result<CommandResult>& result) {
    if (life == lives_) return done(result);
    done(died());
  };
  if (!is_here(request.stream)) {
    forwarded_->carry_out(request, std::move(told));
  } else {
    carry_out_here(std::move(request), std::move(told));
  }
  return true;
}

void SimulatedNode::carry_out_batch(HttpRequest request, BatchClient client, const BatchedBy& by) {
  if (!api_) {
    api_ = std::make_unique<SimulatedApi>(
        SimulatedApi::Parts{world_, *all_, by.changes, clock_, by.farm_limit});
  }
  api_->carry_out_batch(
      std::move(request),
      {.owner = std::move(client.owner),
       .request_id = std::move(client.request_id),
       .traceparent = std::move(client.traceparent),
       .answered =
           [this, life = lives_, answered = std::move(client.answered)](const auto& response) {
             answered(life == lives_ ? std::optional(response) : std::nullopt);
           },
       .abandoned = std::move(client.abandoned)});
}

void SimulatedNode::carry_out_here(CommandRequest request, CommandLoop::OnDone told) {
  const bool elsewhere =
      world_.has(PlantedBug::kOwnersAreDealtOtherwise) && cells_.size() > 1 && name_ == "node-1";
  if (elsewhere) {
    const auto own = all_->number_of(request.stream);
    all_->at((own + 1) % cells_.size()).carry_out(std::move(request), std::move(told));
  } else if (world_.has(PlantedBug::kOneCellIsWaitedFor)) {
    all_->of(request.stream).carry_out(std::move(request), std::move(told));
  } else {
    const auto cell = all_->number_of(request.stream);
    all_->carry_out(std::move(request), std::move(told));
    if (cluster_ != nullptr && follows_[cell]) schedule(cell, world_.between(20us, 500us));
  }
}

// What another node has acknowledged need not have arrived here.
bool SimulatedNode::shows(const std::string& stream, const Position& position) const {
  if (share_) return true;
  if (stream != kReferenceStream) return all_->has_reached(stream, position);
  return std::ranges::all_of(all_->held(), [&](const auto cell) {
    const auto& projector = all_->at(cell).projector();
    return projector.is_halted() || projector.view(stream, position).has_value();
  });
}

std::optional<std::uint64_t> SimulatedNode::version_if_due(const std::string& stream,
                                                           Timestamp by) const {
  if (share_) return std::nullopt;
  const auto view = all_->of(stream).projector().view(stream);
  return decide_due(view->rows, by, rule_tasks_a_day()) ? std::optional(stored_version(view->rows))
                                                        : std::nullopt;
}

void SimulatedNode::read(const std::string& stream, const Position& since,
                         std::function<void(std::optional<std::uint64_t>)> done) {
  if (!is_ready()) return done(std::nullopt);
  if (is_here(stream)) {
    const bool waits = !world_.has(PlantedBug::kReadDoesNotWait);
    return read_here(stream, waits ? std::optional(since) : std::nullopt, std::move(done));
  }
  forwarded_->read(stream, since, std::move(done));
}

void SimulatedNode::when_reached(const std::vector<Position>& ends, std::function<void()> done) {
  constexpr std::chrono::hours kForEver{1'000};
  const auto left = std::make_shared<std::size_t>(1);
  const auto reached = [this, left, life = lives_, done = std::move(done)](bool is) {
    if (is && life == lives_ && --*left == 0) done();
  };
  for (auto& cell : cells_) {
    for (const auto& end : ends) {
      if (!cell->loop().projector().reads(end.partition)) continue;
      ++*left;
      cell->loop().when_reached({}, {end.partition, end.offset - 1}, kForEver, reached);
    }
  }
  reached(true);
}

std::function<void(bool)> SimulatedNode::when_done(std::function<void()> then, OnRead done) {
  ++reading_;
  return [this, life = lives_, then = std::move(then), done = std::move(done)](bool is_done) {
    --reading_;
    if (!is_done || life != lives_) return done(std::nullopt);
    then();
  };
}

// As Operations does, which waits for nothing that is there.
void SimulatedNode::read_here(const std::string& stream, const std::optional<Position>& since,
                              OnRead done) {
  if (!since || all_->has_reached(stream, *since)) return show(stream, std::move(done));
  all_->when_reached(stream, *since, 5s,
                     when_done([this, stream, done] { show(stream, done); }, done));
}

void SimulatedNode::show(const std::string& stream, OnRead done) {
  const bool of_money = around_.shown != nullptr && stream != kReferenceStream && world_.once_in(3);
  if (!of_money) return show_land(stream, std::move(done));
  // It knows them from then on. What it shows at the end is judged.
  prices_.ask({.country = SpelledCountry::parse("Japan"), .crop_name = {}}, rows("market"));
  show_money(stream, all_->of(stream).read_so_far(stream), std::move(done));
}

// What lists show of what has fallen due is moved before.
void SimulatedNode::show_land(const std::string& stream, OnRead done) {
  constexpr auto kJustStarted = 500ms;
  auto& loop = all_->of(stream);
  if (loop.projector().lacks_events()) return done(std::nullopt);
  const auto view = loop.projector().view(stream);
  const auto listed_at = lists_as_of(view->rows, now());
  if (!listed_at) {
    return loop.when_aged(stream, now(),
                          when_done([this, stream, done] { show_land(stream, done); }, done));
  }
  if (const auto wrong = wrong_among_overdue(view->rows, *listed_at); !wrong.empty()) {
    world_.violated("On " + name_ + ", " + wrong);
  }
  if (around_.shown != nullptr) {
    const bool all = world_.now() < started_ + kJustStarted;
    const bool unhidden = world_.has(PlantedBug::kSweptRowsAreShown);
    const auto& stored = cells_[all_->number_of(stream)]->rows();
    around_.shown->show_land(name_, unhidden ? Rows(stored, stream, 0) : view->rows, *listed_at,
                             all);
  }
  done(stored_version(view->rows));
}

// Once it is as recent as the land was, so that clients read their own writes.
void SimulatedNode::show_money(const std::string& stream, const std::vector<Position>& since,
                               OnRead done) {
  auto& loop = cells_[all_->number_of(stream)]->finance().loop();
  const auto& projector = loop.projector();
  if (projector.lacks_events()) return done(std::nullopt);
  for (const auto& position : since) {
    if (projector.view(stream, position)) continue;
    return loop.when_reached(
        stream, position, 5s,
        when_done([this, stream, since, done] { show_money(stream, since, done); }, done));
  }
  const auto view = projector.view(stream);
  around_.shown->show_money(name_, view->rows, now());
  done(stored_version(view->rows));
}

bool SimulatedNode::is_caught_up(const Projector& projector) const {
  for (int partition = 0; partition < topic_.partitions(); ++partition) {
    if (!projector.reads(partition)) continue;
    if (projector.next(partition) < topic_.end(partition)) return false;
  }
  return projector.no_cascade_pending();
}

bool SimulatedNode::has_read(std::size_t cell, const std::vector<std::int64_t>& ends) const {
  const auto reached = [&](const Projector& projector) {
    for (int partition = 0; partition < topic_.partitions(); ++partition) {
      if (!projector.reads(partition)) continue;
      if (projector.next(partition) < ends[static_cast<std::size_t>(partition)]) return false;
    }
    return true;
  };
  return reached(cells_[cell]->loop().projector()) && reached(cells_[cell]->finance().projector());
}

bool SimulatedNode::has_read(const std::vector<std::int64_t>& ends) const {
  return std::ranges::all_of(all_->held(), [&](const auto cell) { return has_read(cell, ends); });
}

bool SimulatedNode::shows_rows() const {
  return std::ranges::all_of(cells_, [](const auto& cell) {
    return !cell->loop().projector().lacks_events() && !cell->finance().projector().lacks_events();
  });
}

bool SimulatedNode::is_at_rest() const {
  if (cluster_ != nullptr) {
    if (!is_up() || !share_->is_settled() || !is_idle()) return false;
    return std::ranges::all_of(all_->held(), [this](const auto cell) {
      return is_caught_up(cells_[cell]->loop().projector()) &&
             is_caught_up(cells_[cell]->finance().projector());
    });
  }
  if (!is_up() || all_->waiting() > 0 || !is_caught_up(market_.projector())) return false;
  if (api_ && !api_->is_idle()) return false;
  return std::ranges::all_of(cells_, [this](const auto& cell) {
    return !cell->rebuilding() && is_caught_up(cell->loop().projector()) &&
           is_caught_up(cell->finance().projector());
  });
}

std::vector<const RowReader*> SimulatedNode::rows(const std::string& projection) const {
  if (projection == "market") return {&market_.rows()};
  std::vector<const RowReader*> rows;
  for (const auto& cell : cells_) {
    rows.push_back(projection == "finance" ? &cell->finance().rows() : &cell->rows());
  }
  return rows;
}

std::vector<const RowReader*> SimulatedNode::held_rows(const std::string& projection) const {
  auto all = rows(projection);
  for (std::size_t cell = 0; cell < all.size(); ++cell) {
    if (!all_->holds(cell)) all[cell] = nullptr;
  }
  return all;
}

void SimulatedNode::begin_share() {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) all_->set_held(cell, false);
  share_ = std::make_unique<SimulatedShare>(SimulatedShare::Parts{
      .world = world_,
      .cluster = *cluster_,
      .topic = topic_,
      .node = name_,
      .announcements = *announcements_,
      .clock = clock_,
      .ids = ids_,
      .layout = *layout_,
      .reachable = [this] { return log_.is_reachable(); },
      .goes_on =
          [this](std::size_t cell) {
            return !cells_[cell]->loop().projector().is_halted() &&
                   !cells_[cell]->finance().projector().is_halted();
          },
      .follow =
          [this](std::size_t cell) {
            follows_[cell] = true;
            schedule(cell, 1ms);
          },
      .hold = [this](std::size_t cell) { all_->set_held(cell, true); },
      .close =
          [this](std::size_t cell) {
            all_->set_held(cell, false);
            follows_[cell] = false;
            cells_[cell]->loop().shutdown();
            cells_[cell]->finance().loop().shutdown();
          },
      .stepped =
          [this](std::size_t cell) {
            if (around_.moved) around_.moved(*this, cell);
          },
      .has_read = [this](std::size_t cell, const auto& ends) { return has_read(cell, ends); },
      .log_lines = unread_lines()});
  forwarded_ = std::make_unique<ForwardedRequests>(ForwardedRequests::Parts{
      .world = world_,
      .cluster = *cluster_,
      .node = name_,
      .share = *share_,
      .cells = *all_,
      .log = log_,
      .log_lines = unread_lines(),
      .life = lives_,
      .now = [this] { return now(); },
      .goes_on = [this, life = lives_] { return life == lives_; },
      .carry_out = [this](CommandRequest request,
                          auto told) { carry_out_here(std::move(request), std::move(told)); },
      .read = [this](const auto& stream, const auto& since,
                     auto done) { read_here(stream, since, std::move(done)); }});
  turn_share();
}

void SimulatedNode::turn_share() {
  if (!is_paused()) share_->turn();
  world_.after(world_.between(100ms, 300ms), [this, life = lives_] {
    if (life == lives_) turn_share();
  });
}

bool SimulatedNode::is_here(const std::string& stream) const {
  return !share_ || share_->is_here(all_->number_of(stream));
}

Projection SimulatedNode::with_its_bug(Projection projection, int cell) const {
  if (name_ != "node-1") return projection;
  if (world_.has(PlantedBug::kCellFollowsTooMuch) && cell == 0)
    projection.follows = registry().follows;
  if (world_.has(PlantedBug::kCascadeForgetsATable)) {
    projection.evolve = [evolve = projection.evolve](MutableRows& rows, const Event& event) {
      evolve(rows, event);
      std::erase_if(rows.cascade(), [](const auto& step) { return step.table == Task::kTable; });
    };
  }
  if (world_.has(PlantedBug::kFoldReadsTheClock)) {
    projection.evolve = [this, evolve = projection.evolve](MutableRows& rows, const Event& event) {
      if (!event.is<TaskCompleted>()) return evolve(rows, event);
      auto later = event.get<TaskCompleted>();
      later.completed_date = world_.wall_clock();
      evolve(rows, later);
    };
  }
  return projection;
}

}  // namespace tilth::testing
