#include "app/node/projection_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/node/bulk_fill.h"
#include "app/node/loop_call.h"
#include "command/loop/moving_rows.h"

namespace tilth {
namespace {

constexpr std::int64_t kWorthFilling = 50'000;  // records: takes a second page by page

void log_refold(LogLines& log_lines, const std::string& name, const Error& why) {
  if (why.code == ErrorCode::kDamaged) {
    log_lines.warn("The rows of " + name + " are damaged; they are folded again.",
                   {{"reason", why.message}});
  } else {
    log_lines.warn("The rows of " + name + " have another shape now; they are folded again.");
  }
}

}  // namespace

Result<std::unique_ptr<ProjectionKeeper>> ProjectionKeeper::open(const Parts& parts,
                                                                 Projection projection,
                                                                 CommandLoop::Sources sources) {
  auto generations =
      Generations::open(parts.views, projection.title(), projection.fingerprint, parts.memory);
  if (!generations) return generations.error();
  if (const auto& why = (*generations)->thrown_away()) {
    log_refold(parts.log_lines, projection.title(), *why);
  }
  std::unique_ptr<ProjectionKeeper> keeper(new ProjectionKeeper(
      parts, std::move(projection), std::move(*generations), std::move(sources)));
  keeper->loop_->projector().apply_overrides(parts.overrides.of(keeper->projection_.name));
  if (const auto opened = keeper->open(); !opened) return opened.error();
  return keeper;
}

std::unique_ptr<ProjectionKeeper> ProjectionKeeper::closed(const Parts& parts,
                                                           Projection projection,
                                                           CommandLoop::Sources sources) {
  auto generations =
      Generations::closed(parts.views, projection.title(), projection.fingerprint, parts.memory);
  std::unique_ptr<ProjectionKeeper> keeper(new ProjectionKeeper(
      parts, std::move(projection), std::move(generations), std::move(sources)));
  keeper->loop_->projector().apply_overrides(parts.overrides.of(keeper->projection_.name));
  keeper->is_open_ = false;
  return keeper;
}

Status ProjectionKeeper::open() { return begin_again_if_damaged(loop_->open()); }

Status ProjectionKeeper::begin_again_if_damaged(const Status& opened) {
  if (opened || opened.error().code != ErrorCode::kDamaged) return opened;
  log_refold(parts_.log_lines, title(), opened.error());
  const auto former = generations_->live();  // the loop uses it until it has another
  if (const auto begun = generations_->begin_again(opened.error()); !begun) return begun;
  return reopen();
}

Status ProjectionKeeper::reopen() {
  is_open_ = false;
  const auto opened = loop_->start_over(*generations_->live());
  is_open_ = bool(opened);
  return opened;
}

Status ProjectionKeeper::open_rows() {
  if (generations_->live()) return kDone;
  const auto opened = generations_->open();
  if (!opened) return opened;
  if (const auto& why = generations_->thrown_away()) {
    log_refold(parts_.log_lines, title(), *why);
  }
  return kDone;
}

Status ProjectionKeeper::prepare() {
  if (is_open_) return kDone;
  const auto opened = open_rows();
  return opened ? begin_again_if_damaged(reopen()) : opened;
}

Status ProjectionKeeper::drop_rows() {
  const std::lock_guard lock(ordering_);
  if (!generations_->live()) {
    if (generations_->is_absent()) return kDone;
    if (const auto opened = prepare(); !opened) return opened;
  }
  if (is_open_ && !loop_->projector().has_read_any()) return kDone;
  const auto former = generations_->live();  // the loop uses it until it has another
  if (const auto dropped = generations_->drop(); !dropped) return dropped;
  return reopen();
}

bool ProjectionKeeper::has_rows() const {
  if (!generations_->live()) return !generations_->is_absent();
  return !is_open_ || loop_->projector().has_read_any() || generations_->has_former();
}

Status ProjectionKeeper::read_first(const std::string& stream,
                                    const std::function<void(const Rows&)>& read) {
  try {
    read(loop_->projector().rows(stream));
    return kDone;
  } catch (const UnreadableRows& rows) {
    return begin_again_if_damaged(Error{ErrorCode::kDamaged, rows.what()});
  }
}

ProjectionKeeper::ProjectionKeeper(const Parts& parts, Projection projection,
                                   std::unique_ptr<Generations> generations,
                                   CommandLoop::Sources sources)
    : parts_(parts),
      projection_(std::move(projection)),
      generations_(std::move(generations)),
      followed_(parts.embedded == nullptr ? nullptr : parts.embedded->only(projection_.follows)),
      loop_(std::make_unique<CommandLoop>(
          followed_ ? *followed_ : parts.log,
          generations_->live() ? static_cast<ProjectionStore&>(*generations_->live()) : no_rows_,
          projection_, std::move(sources))) {}

ProjectionKeeper::~ProjectionKeeper() { stop(); }

Result<std::vector<std::uint64_t>> ProjectionKeeper::fill(
    const std::vector<ProjectionKeeper*>& keepers, const std::vector<Position>& ends,
    const std::function<bool()>& stop_asked) {
  std::vector<std::uint64_t> records(keepers.size());
  std::vector<std::size_t> which;
  std::vector<BulkFill> fills;
  std::vector<Generations::Store> live;  // stay open meanwhile
  for (std::size_t i = 0; i < keepers.size(); ++i) {
    auto& keeper = *keepers[i];
    if (const auto open = keeper.prepare(); !open) return open.error();
    if (!keeper.is_worth_filling(ends)) continue;
    which.push_back(i);
    live.push_back(keeper.generations_->live());
    const auto on_progress = [&keeper, &stop_asked](const BulkFold::Progress& progress) {
      keeper.report_filling(progress);
      return !stop_asked();
    };
    const auto& projection = keeper.projection_;
    fills.push_back(
        {{projection, *live.back(), keeper.parts_.overrides.of(projection.name)}, on_progress});
  }
  if (fills.empty()) return records;
  const auto& parts = keepers.front()->parts_;
  const auto filled = fill_in_bulk(parts.log, parts.log_lines, fills, ends);
  for (std::size_t i = 0; i < which.size(); ++i) {
    records[which[i]] = filled[i];
    if (const auto opened = keepers[which[i]]->end_filling(); !opened) return opened.error();
  }
  return records;
}

bool ProjectionKeeper::is_worth_filling(const std::vector<Position>& ends) const {
  std::int64_t records = 0;
  for (const auto& end : ends) records += projection_.reads(end.partition) ? end.offset : 0;
  return records >= kWorthFilling && !parts_.overrides.of(projection_.name).paused;
}

void ProjectionKeeper::report_filling(const BulkFold::Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!filling_) filling_.emplace();
  filling_->state = ProjectionState::kRebuilding;
  if (progress.folded <= filling_->folded) return;  // another thread may have been first
  filling_->next = progress.next;
  filling_->pace.folded(progress.folded - filling_->folded, FoldRate::Steady::now());
  filling_->folded = progress.folded;
}

Status ProjectionKeeper::end_filling() {
  const std::lock_guard lock(mutex_);
  filling_.reset();
  return open();
}

Status ProjectionKeeper::park() {
  stopping_ = true;
  const std::lock_guard lock(ordering_);
  if (!thread_) return loop_->shutdown(), kDone;
  if (const auto given_up = give_up_build(); !given_up) return stopping_ = false, given_up;
  thread_.reset();
  is_parked_ = true;
  static_cast<void>(reopen());  // or prepare() does; what was under way is forgotten in any case
  return kDone;
}

void ProjectionKeeper::start() {
  {
    const std::lock_guard lock(ordering_);
    is_parked_ = false;
  }
  stopping_ = false;
  thread_ = std::make_unique<LoopThread>(title(), *loop_, parts_.log_lines);
  const auto plan = generations_->plan();
  if (!plan.next) return;
  auto next = generations_->open_next();
  if (!next) {
    parts_.log_lines.error("The build of a projection cannot continue.",
                           {{"projection", title()}, {"reason", next.error().message}});
    return;
  }
  begin_rebuild(std::move(*next), {.manual = plan.manual, .stopped = plan.stopped});
}

void ProjectionKeeper::stop() {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (rebuild_) rebuild_->end();
    rebuild_.reset();
  }
  thread_ ? thread_->stop() : loop_->shutdown();
}

Status ProjectionKeeper::purge(const std::string& stream, const std::function<bool()>& goes_on) {
  constexpr std::chrono::seconds kTimeout{30};  // for removals, and readers of earlier states
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  const auto given_up = [&] {
    return stopping_ || !goes_on() || std::chrono::steady_clock::now() > until;
  };
  const std::lock_guard lock(ordering_);
  if (is_parked_) return rows_are_moving();
  if (rebuilding()) {
    return Error{ErrorCode::kUnavailable, "A generation of " + title() + " is being built."};
  }
  if (generations_->plan().next) {  // it could not be opened at the start, so nothing purges it
    if (const auto dropped = generations_->drop_next(); !dropped) return dropped;
  }
  const auto live = generations_->live();
  std::optional<Status> written;
  const auto write = [&] {
    auto& projector = loop_->projector();
    if (!projector.no_cascade_pending()) return;
    written = live->write_out();
    if (*written) projector.adopt(*live);  // with it goes what is cached of the rows
  };
  while (!written) {
    if (!call_on_loop(*loop_, write, given_up)) {
      return Error{ErrorCode::kUnavailable, "Rows of " + title() + " are still being removed."};
    }
  }
  if (!*written) return *written;
  if (generations_->plan().previous) {
    if (const auto released = generations_->release_previous(); !released) return released;
  }
  return live->compact(stream + '\0', stream + '\1', [&] { return !given_up(); });
}

BackedUp ProjectionKeeper::backed_up() const {
  const auto live = generations_->live();
  return {std::filesystem::path("views") / title() / std::to_string(live->generation()),
          [live](const auto& path) { return live->copy_to(path); }};
}

RebuildThread::Parts ProjectionKeeper::rebuild_parts() {
  return {parts_.log, *loop_, *generations_, projection_, parts_.clock, parts_.log_lines};
}

std::shared_ptr<RebuildThread> ProjectionKeeper::begin_rebuild(Generations::Store generation,
                                                               RebuildThread::Choices choices) {
  auto rebuild = std::make_shared<RebuildThread>(rebuild_parts(), std::move(generation),
                                                 parts_.overrides.of(projection_.name), choices);
  const std::lock_guard lock(mutex_);
  rebuild_ = rebuild;
  return rebuild;
}

// Null once its generation is live, even if its thread does not know that yet.
std::shared_ptr<RebuildThread> ProjectionKeeper::rebuilding() const {
  const std::lock_guard lock(mutex_);
  const auto building = rebuild_ ? rebuild_->standing() : std::nullopt;
  return building && building->generation != generations_->plan().live ? rebuild_ : nullptr;
}

ProjectionStanding ProjectionKeeper::standing() const {
  ProjectionStanding standing{.progress = loop_->projector().progress()};
  auto& progress = standing.progress;
  if (generations_->thrown_away() && progress.state == ProjectionState::kCatchingUp) {
    progress.state = ProjectionState::kRebuilding;
  }
  {
    const std::lock_guard lock(mutex_);
    if (filling_) progress = *filling_;
  }
  if (const auto rebuild = rebuilding()) {
    standing.building = rebuild->standing();
    const auto its = rebuild->reason();
    progress.reason.append(progress.reason.empty() || its.empty() ? "" : " ").append(its);
  }
  const auto plan =
      generations_->plan();  // read after it, so that either shows one just switched to
  standing.generation = plan.live;
  standing.previous = plan.previous;
  if (standing.building && standing.building->generation == plan.live) standing.building.reset();
  return standing;
}

Status ProjectionKeeper::apply(const OperatorOverrides& overrides) {
  if (const auto rebuild = rebuilding()) rebuild->apply_overrides(overrides);
  const auto apply_overrides = [&] { loop_->projector().apply_overrides(overrides); };
  loop_->projector().wake();
  if (call_on_loop(*loop_, apply_overrides, [this] { return stopping_.load(); })) return kDone;
  return Error{ErrorCode::kUnavailable, "The service ends; the order holds after its next start."};
}

Result<bool> ProjectionKeeper::stop_building() {
  const std::lock_guard lock(ordering_);
  const auto rebuild = rebuilding();
  if (!rebuild) return false;
  rebuild->stop();
  if (!generations_->plan().next) return true;
  const auto kept = generations_->set_stopped(true);
  return kept ? Result<bool>(true) : kept.error();
}

Status ProjectionKeeper::go_on_building() {
  const std::lock_guard lock(ordering_);
  const auto rebuild = rebuilding();
  if (!rebuild) return kDone;
  if (generations_->plan().stopped) {
    if (const auto kept = generations_->set_stopped(false); !kept) return kept;
  }
  rebuild->go_on();
  return kDone;
}

Status ProjectionKeeper::abandon_build() {
  const std::lock_guard lock(ordering_);
  return give_up_build();
}

// With ordering_. Without a thread, a generation could not be opened at the start.
Status ProjectionKeeper::give_up_build() {
  if (rebuilding()) {
    std::shared_ptr<RebuildThread> build;
    {
      const std::lock_guard members(mutex_);
      build = std::exchange(rebuild_, nullptr);
    }
    build->end_and_wait();
  } else if (!generations_->plan().next) {
    return kDone;
  }
  return generations_->drop_next();
}

Result<int> ProjectionKeeper::rebuild(bool manual, int at_least) {
  const std::lock_guard lock(ordering_);
  if (is_parked_) return rows_are_moving();
  if (rebuilding()) {
    return Error{ErrorCode::kConflict, "A generation of " + title() + " is being built already."};
  }
  auto next = generations_->begin_next(manual, at_least, projection_.cells);
  if (!next) return next.error();
  const int generation = (*next)->generation();
  begin_rebuild(std::move(*next), {.manual = manual});
  return generation;
}

Status ProjectionKeeper::switch_over(bool to_previous) {
  std::shared_ptr<RebuildThread> rebuild;
  {
    const std::lock_guard lock(ordering_);
    if (is_parked_) return rows_are_moving();
    rebuild = rebuilding();
    if (!to_previous) {
      if (!rebuild) return Error{ErrorCode::kConflict, "No generation of " + title() + " waits."};
      if (const auto ordered = rebuild->order_switch(); !ordered) return ordered;
    } else {
      if (rebuild) {
        return Error{ErrorCode::kConflict, "A generation of " + title() + " is being built."};
      }
      auto previous = generations_->open_previous();
      if (!previous) return previous.error();
      rebuild = begin_rebuild(std::move(*previous), {.compares = false});
    }
  }
  return rebuild->wait_switched();
}

Status ProjectionKeeper::release() {
  const std::lock_guard lock(ordering_);
  const auto rebuild = rebuilding();
  const auto building = rebuild ? rebuild->standing() : std::nullopt;  // null: it has just switched
  if (building && building->generation == generations_->plan().previous) {
    return Error{ErrorCode::kConflict, "The former generation is being switched to."};
  }
  return generations_->release_previous();
}

Result<Comparison> ProjectionKeeper::verify() {
  const auto scratch = generations_->open_scratch();
  if (!scratch) return scratch.error();
  try {
    auto compared = compare(**scratch);
    if (!stopping_) return compared;
    return rows_are_moving();
  } catch (const UnreadableRows& rows) {
    parts_.log_lines.error("A projection cannot be compared with the log.",
                           {{"projection", title()}, {"reason", rows.what()}});
    loop_->projector().cannot_read(rows);
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

Result<Comparison> ProjectionKeeper::compare(RocksStore& scratch) {
  const auto to_end = [this](const BulkFold::Progress&) { return !stopping_; };
  fill_in_bulk(parts_.log, parts_.log_lines,
               {{{projection_, scratch, parts_.overrides.of(projection_.name)}, to_end}},
               loop_->projector().progress().next);
  Refold fold(parts_.log, scratch, projection_);
  if (const auto opened = fold.open(parts_.overrides.of(projection_.name)); !opened)
    return opened.error();
  const auto& live = loop_->projector();
  const auto go_on = [this] { return !stopping_; };
  const auto advance = [&](const std::vector<Position>& ends) -> Status {
    while (go_on()) {
      const auto there = fold.advance(ends);
      if (!there) return there.error();
      if (*there) return kDone;
    }
    return Error{ErrorCode::kUnavailable, "The service ends."};
  };
  if (const auto near = advance(live.progress().next); !near) return near.error();
  while (true) {
    const auto state = live.view({})->state;
    const auto at = Projector::checkpoint_of(*state, projection_.partitions_of(parts_.log));
    if (at) {
      if (const auto there = advance(*at); !there) return there.error();
      return fold.compare_with(*state, parts_.clock.now(), go_on);
    }
    // A removal is in progress: its next commit may be the last one.
    const auto nothing = [] {};
    if (!call_on_loop(*loop_, nothing, [this] { return stopping_.load(); })) {
      return Error{ErrorCode::kUnavailable, "The service ends."};
    }
  }
}

}  // namespace tilth
