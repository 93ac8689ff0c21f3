#include "app/node/land_share.h"

#include <algorithm>
#include <condition_variable>
#include <ranges>
#include <set>
#include <utility>

#include "app/node/loop_call.h"
#include "events/log/log_end.h"
#include "infra/system/thread_name.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kMapHolds = 200ms, kTurn = 200ms;
constexpr auto kIndexMayRest = 10s;  // without a record
// How many cells may catch up at once. On Kafka, each has a client for each projection meanwhile,
// which takes a few tenths of a second until its first record.
constexpr std::size_t kTogether = 8;

Error ending() { return Error{ErrorCode::kUnavailable, "Stopped while starting."}; }

}  // namespace

LandShare::LandShare(Parts parts)
    : parts_(std::move(parts)),
      projections_{&parts_.market, &parts_.finance, &parts_.registry},
      cells_(static_cast<std::size_t>(parts_.layout.cells_of_owners())),
      phases_(cells_, [this](std::size_t cell) { return goes_on(cell); }),
      first_(cells_) {}

Status LandShare::begin(const std::function<bool()>& stop_asked) {
  const auto ends = ends_of(parts_.log);
  if (!ends) return ends.error();
  while (!knows_the_others()) {
    if (stop_asked()) return ending();
    std::this_thread::sleep_for(20ms);
  }
  const auto wanted = this->map();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (wanted->should_hold(cell)) begins_with_.insert(cell);
  }
  parts_.log_lines.info("This node reads the land that it will hold before it is ready.",
                        {{"cells", static_cast<std::int64_t>(begins_with_.size())}});
  if (const auto follows = follow_history({}); !follows) return follows;  // all of it at once
  if (const auto filled = fill_together(*ends, stop_asked); !filled) return filled;
  for (auto* projection : projections_) {
    const auto reference = projection->cells().number_of(kReferenceStream);
    const auto held = projection->hold(reference, *ends, stop_asked);
    if (!held) return held;
  }
  // Others may begin at the same time, and are heard meanwhile.
  auto next = begins_with_.begin();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (!map()->should_hold(cell)) continue;
    for (; next != begins_with_.end() && *next < cell + kTogether; ++next) {
      if (const auto begun = catch_up(*next, *ends, stop_asked); !begun) return begun;
    }
    if (const auto taken = take(cell, stop_asked); !taken) return taken;
  }
  begins_with_.clear();
  parts_.announce();
  return kDone;
}

// What it will hold, so that each partition is read once.
Status LandShare::fill_together(const std::vector<Position>& ends,
                                const std::function<bool()>& stop_asked) {
  std::vector<std::size_t> cells{parts_.registry.cells().number_of(kReferenceStream)};
  for (const auto cell : begins_with_) {
    if (cell != cells.front()) cells.push_back(cell);
  }
  return ProjectionCells::fill({&parts_.registry, &parts_.finance, &parts_.market}, cells, ends,
                               stop_asked);
}

bool LandShare::knows_the_others() {
  return phases_.knows_the_others(parts_.steady(), parts_.hears());
}

void LandShare::follow() {
  taking_ = std::jthread([this](const std::stop_token& stop) {
    name_thread("land");
    run(stop, [&] { move_on([&] { return stop.stop_requested(); }); });
  });
  looking_ = std::jthread([this](const std::stop_token& stop) {
    name_thread("land first");
    run(stop, [this] { tell_of_first(); });
  });
}

void LandShare::stop() {
  for (auto* thread : {&taking_, &looking_}) {
    thread->request_stop();
    if (thread->joinable()) thread->join();
  }
}

// A halted cell is held, but others answer better. The market answers for all owners, and is asked
// for by itself.
bool LandShare::goes_on(std::size_t cell) const {
  return !parts_.access.projector().is_halted() &&
         !parts_.registry.cells().at(cell).projector().is_halted() &&
         !parts_.finance.cells().at(cell).projector().is_halted();
}

bool LandShare::is_here(std::string_view stream) const {
  const auto cell = static_cast<std::size_t>(parts_.layout.cell_of(stream));
  return cell >= cells_ || is_here(cell);  // every node has the reference data
}

bool LandShare::is_here(std::size_t cell) const {
  return phases_.is_here(cell, [this] { return map(); });
}

bool LandShare::is_first(std::string_view stream) const {
  const auto cell = static_cast<std::size_t>(parts_.layout.cell_of(stream));
  return cell < cells_ && phases_.is_first(cell, *map());
}

void LandShare::tell_of_first() {
  const auto map = this->map();
  std::vector<bool> first(cells_);
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    first[cell] = phases_.is_first(cell, *map);
  }
  if (std::exchange(first_, first) != first) parts_.on_first_changed();
}

std::vector<std::string> LandShare::others_with(std::string_view stream) const {
  return others_with(static_cast<std::size_t>(parts_.layout.cell_of(stream)));
}

std::vector<std::string> LandShare::others_with(std::size_t cell) const {
  return map()->others_with(cell);
}

std::shared_ptr<const CellMap> LandShare::map() const {
  const auto now = parts_.steady();
  const auto heard = parts_.announcements_heard();
  const std::lock_guard lock(mutex_);
  if (!map_ || heard != mapped_after_ || now >= mapped_at_ + kMapHolds) {
    map_ = std::make_shared<CellMap>(parts_.nodes(), parts_.log.partitions(),
                                     static_cast<int>(cells_), parts_.copies);
    mapped_at_ = now;
    mapped_after_ = heard;
  }
  return map_;
}

std::vector<HeldPartition> LandShare::announced(const std::vector<Position>& next) const {
  std::vector<HeldPartition> held;
  for (const auto& [partition, offset] : next) {
    const auto cell = static_cast<std::size_t>(partition) % cells_;
    if (phases_.is_announced(cell)) held.push_back({partition, offset});
  }
  return held;
}

std::vector<std::int64_t> LandShare::halted(const std::vector<HeldPartition>& announced) const {
  std::vector<std::int64_t> halted;
  for (const auto& [partition, next] : announced) {
    if (!phases_.goes_on(static_cast<std::size_t>(partition) % cells_)) halted.push_back(partition);
  }
  return halted;
}

void LandShare::drain() {
  if (draining_.exchange(true)) return;
  parts_.log_lines.info("An operator drains this node: it gives away what it holds.");
  parts_.announce();
}

// Has the index of the history follow what is held, and the cell that is taken.
Status LandShare::follow_history(std::optional<std::size_t> taken) {
  std::set<int> partitions = {parts_.log.partition_of(kReferenceStream)};
  for (int partition = 0; partition < parts_.log.partitions(); ++partition) {
    const auto cell = static_cast<std::size_t>(partition) % cells_;
    const bool is_taken = cell == taken || begins_with_.contains(cell);
    if (is_taken || !phases_.is_away(cell)) partitions.insert(partition);
  }
  return parts_.index.follow_only(partitions);
}

// Lets the index read the history of a cell. An index that does not go on keeps no land away: what
// asks for a history then is told so.
Status LandShare::read_history(std::size_t cell, const std::vector<Position>& ends,
                               const std::function<bool()>& stop_asked) {
  if (const auto follows = follow_history(cell); !follows) return follows;
  for (const auto& end : ends) {
    if (static_cast<std::size_t>(end.partition) % cells_ != cell) continue;
    const auto until = [&] { return parts_.steady() + kIndexMayRest; };
    auto given_up = until();
    for (auto next = parts_.index.next_of(end.partition); parts_.steady() < given_up;) {
      if (stop_asked()) return ending();
      const auto read = parts_.index.reach(end, kTurn);
      if (read || read.error().code != ErrorCode::kUnavailable) break;
      if (next == std::exchange(next, parts_.index.next_of(end.partition))) {
        std::this_thread::sleep_for(20ms);
      } else {
        given_up = until();
      }
    }
  }
  return kDone;
}

// Lets all projections of a cell begin before one of them is waited for.
Status LandShare::catch_up(std::size_t cell, const std::vector<Position>& ends,
                           const std::function<bool()>& stop_asked) {
  for (auto* projection : projections_) {
    if (const auto begun = projection->begin(cell, ends, stop_asked); !begun) return begun;
  }
  return kDone;
}

Status LandShare::take(std::size_t cell, const std::function<bool()>& stop_asked) {
  const auto begun = parts_.steady();
  const auto ends = ends_of(parts_.log);
  if (!ends) return ends.error();
  if (const auto follows = catch_up(cell, *ends, stop_asked); !follows) return follows;
  if (const auto read = read_history(cell, *ends, stop_asked); !read) return read;
  for (auto* projection : projections_) {
    const auto held = projection->hold(cell, *ends, stop_asked);
    if (!held) return held;
  }
  // Filling may have taken long.
  const auto now = ends_of(parts_.log);
  if (!now) return now.error();
  for (auto* projection : projections_) {
    const auto there = reach_ends(projection->cells().at(cell), *now, stop_asked);
    if (!there) return there;
  }
  phases_.take(cell);
  ++taken_;
  const std::chrono::duration<double, std::milli> took = parts_.steady() - begun;
  parts_.log_lines.info("This node holds another cell of the land.",
                        {{"cell", static_cast<std::int64_t>(cell)},
                         {"milliseconds", static_cast<std::int64_t>(took.count())}});
  return kDone;
}

// What was asked of it so late that it was still posted to it ends, too, if this is repeated.
Status LandShare::give_up(std::size_t cell) {
  Status given_up = kDone;
  for (auto* projection : projections_ | std::views::reverse) {
    if (const auto parked = projection->give_up(cell); !parked) given_up = parked;
  }
  return given_up;
}

// Whatever was asked of it here has ended.
void LandShare::close(std::size_t cell) {
  static_cast<void>(give_up(cell));       // is tried again in the next turn
  static_cast<void>(follow_history({}));  // if it fails, it goes on to follow the cell
  ++given_up_;
  parts_.log_lines.info("This node has given up a cell of the land: others hold it.",
                        {{"cell", static_cast<std::int64_t>(cell)}});
}

// Those of when it was held, perhaps before the last start, or of a take that was not finished. A
// node that was drained is likely to be started again, and to hold the same.
void LandShare::remove_rows(std::size_t cell) {
  if (!give_up(cell) || draining_) return;
  for (auto* projection : projections_) {
    const auto removed = projection->drop_rows(cell);
    if (removed || removed.error().message == trouble_) continue;
    trouble_ = removed.error().message;
    parts_.log_lines.warn("The rows of a cell that was given up cannot be removed.",
                          {{"cell", static_cast<std::int64_t>(cell)}, {"reason", trouble_}});
  }
}

void LandShare::move_on(const std::function<bool()>& stop_asked) {
  if (!knows_the_others()) return;
  const auto map = this->map();
  moving_ = phases_.leaving();
  for (std::size_t cell = 0; cell < cells_ && !stop_asked(); ++cell) {
    switch (phases_.move_on(cell, parts_.steady(), *map)) {
      case CellPhases::Step::kNone:
        if (phases_.is_away(cell)) static_cast<void>(give_up(cell));
        break;
      case CellPhases::Step::kAnnounce:
        parts_.announce();
        break;
      case CellPhases::Step::kClose:
        close(cell);
        break;
      case CellPhases::Step::kRemove:
        remove_rows(cell);
        break;
      case CellPhases::Step::kTake:
        if (!try_to_take(cell, stop_asked)) break;
        parts_.announce();
        return;  // the map may have changed
    }
  }
}

bool LandShare::try_to_take(std::size_t cell, const std::function<bool()>& stop_asked) {
  ++moving_;
  const auto taken = take(cell, stop_asked);
  --moving_;
  const auto why = taken ? std::string() : taken.error().message;
  if (!why.empty() && why != trouble_ && !stop_asked()) {
    parts_.log_lines.warn("A cell of the land cannot be taken.", {{"reason", why}});
  }
  trouble_ = why;
  return bool(taken);
}

void LandShare::run(const std::stop_token& stop, const std::function<void()>& turn) const {
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    turn();
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, kTurn, [] { return false; });
  }
}

void LandShare::report(Samples& to) const {
  to.gauge("tilth_cells_held", "Cells of the land that this node holds and announces.", {},
           static_cast<double>(phases_.held()));
  to.gauge("tilth_cells_moving", "Cells of the land that this node takes or gives up.", {},
           static_cast<double>(moving_));
  to.counter("tilth_cells_taken_total", "Cells of the land that this node has taken.", {},
             static_cast<double>(taken_));
  to.counter("tilth_cells_given_up_total", "Cells of the land that this node has given up.", {},
             static_cast<double>(given_up_));
  const auto map = this->map();
  std::size_t lost = 0, short_of_copies = 0;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (phases_.is_lost(cell, *map)) ++lost;
    const auto holders = map->others_that_go_on(cell) + (phases_.goes_on(cell) ? 1 : 0);
    if (holders < static_cast<std::size_t>(parts_.copies)) ++short_of_copies;
  }
  to.gauge("tilth_cells_without_node",
           "Cells of the land that no live node holds, as far as this node has heard.", {},
           static_cast<double>(lost));
  to.gauge("tilth_cells_short_of_copies",
           "Cells of the land that fewer live nodes hold than cluster.copies asks for, as far as "
           "this node has heard.",
           {}, static_cast<double>(short_of_copies));
  to.gauge("tilth_node_draining", "1 if this node gives away what it holds, else 0.", {},
           draining_ ? 1 : 0);
}

}  // namespace tilth
