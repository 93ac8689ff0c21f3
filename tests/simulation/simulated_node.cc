#include "tests/simulation/simulated_node.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fcntl.h>

#include "api/http/refusal.h"
#include "api/keys/key_ring.h"
#include "api/platform/passed_on_arrival.h"
#include "command/work/due_rules.h"
#include "events/log/streams.h"
#include "projections/rows/stored_head.h"
#include "projections/work/overdue.h"
#include "projections/work/task.h"
#include "tests/fixtures/noon_clock.h"
#include "tests/simulation/plain_rules.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostCells = 3;

constexpr std::string_view kResult = "Simulated-Result";

Error died() {
  return {
      .code = ErrorCode::kUnavailable, .message = "The node has died.", .retry_after_seconds = 1};
}

HttpRequest asking(std::string method, std::string path) {
  HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  return request;
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
      skew_(world.below(400)),
      cascade_budget_(world.once_in(2) ? 1 + world.below(60) : 1'000),
      log_(world, topic),
      market_(world),
      prices_(name_ == "node-1" ? 3 : 1),
      around_(std::move(around)),
      cluster_(around_.cluster) {
  if (cluster_ != nullptr) {
    cluster_->join(name_,
                   {.take = [this](auto request,
                                   auto to) { take_passed_on(std::move(request), std::move(to)); },
                    .is_up = [this] { return is_up(); },
                    .is_paused = [this] { return is_paused(); },
                    .reference = [this] { return reference_read_; },
                    .lives = [this] { return lives_; }});
  }
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
}

Status SimulatedNode::open(std::vector<CommandLoop*>& loops) {
  for (int cell = 0; cell < layout_->cells(); ++cell) {
    CommandLoop::Sources sources{.node = name_,
                                 .now = [this] { return now(); },
                                 .new_id = [this] { return world_.uuid(); },
                                 .due = decide_due,
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
    const auto opened = its.open(log_, with_its_bug(std::move(land), cell),
                                 layout_->part_of(finance(), cell), std::move(sources));
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
  if (passing_on_ && logged.record->stream == kReferenceStream) {
    passing_on_->on_reference(logged.position);
    reference_read_ = logged.position;
  }
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
  close();
  for (const auto& [client, told] : std::exchange(passed_on_, {})) told(nullptr);
  passing_on_.reset();
  reference_read_.reset();
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
    auto sent = asking("POST", "/commands");
    sent.body = cluster_->commands().put(request);
    if (request.idempotency) sent.headers.emplace_back("idempotency-key", request.idempotency->key);
    if (request.if_match) sent.headers.emplace_back("if-match", "*");
    pass_on(request.stream, std::move(sent), request.request_id,
            [this, told = std::move(told)](const HttpResponse* response) {
              told(response != nullptr ? result_of(*response) : Result<CommandResult>(died()));
            });
    return true;
  }
  carry_out_here(std::move(request), std::move(told));
  return true;
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

void SimulatedNode::read(const std::string& stream, const Position& since,
                         std::function<void(std::optional<std::uint64_t>)> done) {
  if (!is_ready()) return done(std::nullopt);
  if (is_here(stream)) {
    return read_here(stream, since, !world_.has(PlantedBug::kReadDoesNotWait), std::move(done));
  }
  auto sent = asking("GET", "/versions");
  sent.headers.emplace_back("tilth-min-position", position_token(since));
  const auto id = name_ + "-read-" + std::to_string(++reads_);
  pass_on(stream, std::move(sent), id, [done = std::move(done)](const HttpResponse* response) {
    const bool is_told = response != nullptr && response->status == 200;
    done(is_told ? std::optional(std::stoull(response->body)) : std::nullopt);
  });
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
void SimulatedNode::read_here(const std::string& stream, const Position& since, bool waits,
                              OnRead done) {
  if (!waits || all_->has_reached(stream, since)) return show(stream, std::move(done));
  all_->when_reached(stream, since, 5s,
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
  const auto head = view->rows.own(view->rows.own_key('v'));
  done(head ? read_stored_head(*head).version : 0);
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
  const auto head = view->rows.own(view->rows.own_key('v'));
  done(head ? read_stored_head(*head).version : 0);
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

bool SimulatedNode::is_at_rest() const {
  if (cluster_ != nullptr) {
    if (!is_up() || !share_->is_settled() || !is_idle()) return false;
    return std::ranges::all_of(all_->held(), [this](const auto cell) {
      return is_caught_up(cells_[cell]->loop().projector()) &&
             is_caught_up(cells_[cell]->finance().projector());
    });
  }
  if (!is_up() || all_->waiting() > 0 || !is_caught_up(market_.projector())) return false;
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
  // Keys and users do not change here.
  passing_on_ = std::make_unique<PassingOn>(PassingOn::Parts{
      .holders = *share_,
      .send =
          [this](const auto& node, HttpRequest request, auto answer, auto lost) {
            cluster_->send(name_, node, std::move(request), std::move(answer), std::move(lost));
          },
      .access = all_->of(kReferenceStream),
      .registry = *all_,
      .log = log_,
      .log_lines = unread_lines(),
      .steady = [this] { return world_.now(); }});
  turn_share();
}

void SimulatedNode::turn_share() {
  if (!is_paused()) share_->turn();
  world_.after(world_.between(100ms, 300ms), [this, life = lives_] {
    if (life == lives_) turn_share();
  });
}

void SimulatedNode::leave() {
  world_.note(name_ + " leaves");
  share_->leave();
  crash();
}

bool SimulatedNode::is_here(const std::string& stream) const {
  return !share_ || share_->is_here(all_->number_of(stream));
}

// A client that waits for another node.
class SimulatedNode::Told final : public Responder {
 public:
  Told(SimulatedNode& node, std::uint64_t client, std::string stream, std::string request_id)
      : node_(node),
        client_(client),
        stream_(std::move(stream)),
        request_id_(std::move(request_id)) {}

  void respond(HttpResponse response) override {
    node_.tell(client_, stream_, request_id_, response);
  }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }

 private:
  SimulatedNode& node_;
  const std::uint64_t client_;
  const std::string stream_, request_id_;
};

void SimulatedNode::pass_on(const std::string& stream, HttpRequest request,
                            const std::string& request_id, OnTold told) {
  const auto client = ++clients_;
  passed_on_[client] = std::move(told);
  passing_on_->pass_on(call_of(client, stream, std::move(request), request_id));
}

// Its client sends what is none of its business, too.
Call SimulatedNode::call_of(std::uint64_t client, const std::string& stream, HttpRequest request,
                            const std::string& request_id) {
  request.headers.emplace_back(Elsewhere::kCaller, "user_1000");
  request.headers.emplace_back(Elsewhere::kParts, "1");
  request.headers.emplace_back(Elsewhere::kWithin, "1000000");
  request.headers.emplace_back("x-request-id", "request-0");
  auto holder = std::make_shared<KeyHolder>();
  holder->user_id = stream;
  return {.exchange = std::make_shared<Exchange>(
              std::move(request), std::make_unique<Told>(*this, client, stream, request_id),
              request_id, Exchange::OnAnswered()),
          .client = "192.0.2.1",
          .now = now(),
          .holder = std::move(holder)};
}

void SimulatedNode::ask_cells(std::chrono::milliseconds within,
                              std::function<void(std::optional<Result<CellTexts>>)> done) {
  CellTexts here, others;
  for (std::size_t cell = 0; cell < share_->cells(); ++cell) {
    const bool is_here = share_->is_here(cell);
    (is_here ? here : others)[cell] = is_here ? std::to_string(cell) : "?";
  }
  if (others.empty()) return done(std::move(here));
  const auto client = ++clients_;
  passed_on_[client] = [done](const HttpResponse*) { done(std::nullopt); };
  passing_on_->ask_cells(call_of(client, "user_0", asking("GET", "/cells"),
                                 name_ + "-cells-" + std::to_string(client)),
                         within, std::move(others),
                         [this, client, done, here](Result<CellTexts> parts) {
                           passed_on_.erase(client);
                           if (parts) parts->insert(here.begin(), here.end());
                           done(std::move(parts));
                         });
}

// What each response has to be, from whichever node it comes.
void SimulatedNode::tell(std::uint64_t client, const std::string& stream,
                         const std::string& request_id, const HttpResponse& response) {
  const auto found = passed_on_.find(client);
  if (found == passed_on_.end()) return world_.violated(request_id + " was answered twice");
  const auto told = std::move(found->second);
  passed_on_.erase(found);
  std::set<std::string> names;
  for (const auto& [name, value] : response.headers) {
    if (!names.insert(name).second) world_.violated(request_id + " was told two of " + name);
  }
  const auto* id = response.header("X-Request-Id");
  if (id == nullptr || *id != request_id) world_.violated(request_id + " was told another id");
  cluster_->passed().answered(request_id, response, share_->others_with(stream));
  const bool is_result = response.status == 200 || response.header(kResult) != nullptr;
  const bool may_ask_again = response.status == 503 && response.header("Retry-After") != nullptr;
  if (!is_result && !may_ask_again) {
    world_.violated(request_id + " was answered " + std::to_string(response.status) +
                    ", and not told when to ask again");
  }
  told(&response);
}

// Of a command. What comes from no decision is refused for now.
Result<CommandResult> SimulatedNode::result_of(const HttpResponse& response) {
  const auto* result = response.header(kResult);
  if (result != nullptr) return cluster_->results().at(*result);
  return Error{.code = ErrorCode::kUnavailable, .message = response.body, .retry_after_seconds = 1};
}

// As the dispatcher does. What it waits for may come to pass once the node has died.
void SimulatedNode::take_passed_on(HttpRequest request, std::unique_ptr<Responder> responder) {
  auto id = *request.header("x-request-id");
  const auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                                   std::move(id), Exchange::OnAnswered());
  if (!is_ready()) return exchange->answer(Elsewhere::not_here());
  tilth::take_passed_on(*passing_on_, exchange, [this, exchange, life = lives_] {
    if (life != lives_) return;
    const auto& received = exchange->request();
    const auto stream = Elsewhere::caller_of(received);
    cluster_->passed().taken(received, name_, is_here(stream), [&](const Position& position) {
      return all_->has_reached(
          Elsewhere::asks_for_parts(received) ? std::string(kReferenceStream) : stream, position);
    });
    if (Elsewhere::asks_for_parts(received)) return answer_parts(*exchange);
    received.method == "GET" ? read_passed_on(exchange) : carry_out_passed_on(exchange);
  });
}

// As JointQueries does.
void SimulatedNode::answer_parts(Exchange& exchange) const {
  auto parts = read_cell_texts(exchange.request().body);
  if (!parts) return exchange.answer({.status = 400});
  std::erase_if(*parts, [this](const auto& part) { return !share_->is_here(part.first); });
  if (parts->empty()) return exchange.answer(Elsewhere::not_here());
  const std::size_t off = world_.has(PlantedBug::kPartIsOfAnother) ? 1 : 0;
  for (auto& [cell, text] : *parts) text = std::to_string(cell + off);
  exchange.answer({.status = 200, .body = written(*parts)});
}

// Its headers say what they can say; the rest is what its body stands for.
void SimulatedNode::carry_out_passed_on(const std::shared_ptr<Exchange>& exchange) {
  const auto& received = exchange->request();
  auto request = cluster_->commands().at(received.body);
  request.stream = Elsewhere::caller_of(received);
  request.request_id = exchange->request_id();
  const auto* key = received.header("idempotency-key");
  if (key == nullptr) request.idempotency.reset();
  if (request.idempotency) request.idempotency->key = *key;
  if (received.header("if-match") == nullptr) request.if_match.reset();
  carry_out_here(std::move(request), [this, exchange](const auto& result) {
    auto response = result ? HttpResponse{.status = 200} : refusal(result.error());
    response.headers.emplace_back(kResult, cluster_->results().put(result));
    exchange->answer(std::move(response));
  });
}

void SimulatedNode::read_passed_on(const std::shared_ptr<Exchange>& exchange) {
  const auto& received = exchange->request();
  const auto* token = received.header("tilth-min-position");
  const auto since = token != nullptr ? read_position_token(*token) : std::nullopt;
  read_here(Elsewhere::caller_of(received), since.value_or(Position{}), since.has_value(),
            [exchange](std::optional<std::uint64_t> version) {
              if (!version) return exchange->answer(not_ready());
              exchange->answer({.status = 200, .body = std::to_string(*version)});
            });
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
