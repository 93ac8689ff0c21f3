#include "app/node/land_share.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "api/platform/thread_name.h"
#include "app/node/loop_call.h"
#include "events/log/log_end.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kMapHolds = 200ms, kTurn = 200ms;
constexpr auto kBeginningTurn = 20ms;
constexpr auto kIndexMayRest = 10s;  // without a record

Error ending() { return Error{ErrorCode::kUnavailable, "Stopped while starting."}; }

}  // namespace

LandShare::LandShare(Parts parts)
    : parts_(std::move(parts)),
      projections_{&parts_.market, &parts_.finance, &parts_.registry},
      cells_(static_cast<std::size_t>(parts_.layout.cells_of_owners())),
      moves_(
          cells_, [this](std::size_t cell) { return goes_on(cell); }, *this, parts_.log_lines),
      history_wanted_(cells_ + 1),
      steps_(cells_ + 1),
      first_(cells_) {}

Status LandShare::begin(const std::function<bool()>& stop_asked) {
  const auto ends = ends_of(parts_.log);
  if (!ends) return ends.error();
  while (!moves_.knows_the_others(parts_.steady(), parts_.is_current())) {
    if (stop_asked()) return ending();
    std::this_thread::sleep_for(kBeginningTurn);
  }
  if (const auto filled = fill_together(*ends, stop_asked); !filled) return filled;
  const auto taken = take_all(stop_asked);
  if (!taken) end_steps();
  return taken;
}

// What it will hold, so that each partition is read once.
Status LandShare::fill_together(const std::vector<Position>& ends,
                                const std::function<bool()>& stop_asked) {
  std::vector<std::size_t> cells{cells_};  // the reference data
  const auto map = this->map();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (!map->should_hold(cell)) continue;
    cells.push_back(cell);
    history_wanted_[cell] = true;
  }
  parts_.log_lines.info("This node reads the land that it will hold before it is ready.",
                        {{"cells", static_cast<std::int64_t>(cells.size() - 1)}});
  if (const auto follows = follow_history(); !follows) return follows;  // all of it at once
  return ProjectionCells::fill({&parts_.registry, &parts_.finance, &parts_.market}, cells, ends,
                               stop_asked);
}

// Others may begin at the same time; their announcements are read meanwhile.
Status LandShare::take_all(const std::function<bool()>& stop_asked) {
  while (true) {
    const auto woken = wakes_->count.load();
    const auto begun = moves_.begin(parts_.steady(), parts_.is_current(), *map());
    if (!begun) return begun.error();
    if (*begun) return kDone;
    if (stop_asked()) return ending();
    wakes_->rest({}, woken, kBeginningTurn);
  }
}

void LandShare::follow() {
  taking_ = std::jthread([this](const std::stop_token& stop) {
    name_thread("land");
    run(stop, [this] { moves_.turn(parts_.steady(), parts_.is_current(), *map()); });
  });
  looking_ = std::jthread([this](const std::stop_token& stop) {
    name_thread("land first");
    run(stop, [this] { report_first_changed(); });
  });
}

void LandShare::stop() {
  for (auto* thread : {&taking_, &looking_}) {
    thread->request_stop();
    if (thread->joinable()) thread->join();
  }
  end_steps();
}

// Waits for those that are under way.
void LandShare::end_steps() {
  ending_ = true;
  steps_.clear();
}

// A halted cell is held, but other nodes serve it better. The market serves all owners, and is
// asked for by itself.
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
  return moves_.phases().is_here(cell, [this] { return map(); });
}

bool LandShare::is_first(std::string_view stream) const {
  const auto cell = static_cast<std::size_t>(parts_.layout.cell_of(stream));
  return cell < cells_ && moves_.phases().is_first(cell, *map());
}

void LandShare::report_first_changed() {
  const auto map = this->map();
  std::vector<bool> first(cells_);
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    first[cell] = moves_.phases().is_first(cell, *map);
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
  const auto read = parts_.announcements_read();
  const std::lock_guard lock(mutex_);
  if (!map_ || read != mapped_after_ || now >= mapped_at_ + kMapHolds) {
    map_ = std::make_shared<CellMap>(parts_.nodes(), parts_.log.partitions(),
                                     static_cast<int>(cells_), parts_.copies);
    mapped_at_ = now;
    mapped_after_ = read;
  }
  return map_;
}

std::vector<HeldPartition> LandShare::announced(const std::vector<Position>& next) const {
  std::vector<HeldPartition> held;
  for (const auto& [partition, offset] : next) {
    const auto cell = static_cast<std::size_t>(partition) % cells_;
    if (moves_.phases().is_announced(cell)) held.push_back({partition, offset});
  }
  return held;
}

std::vector<std::int64_t> LandShare::halted(const std::vector<HeldPartition>& announced) const {
  std::vector<std::int64_t> halted;
  for (const auto& [partition, next] : announced) {
    if (!moves_.phases().goes_on(static_cast<std::size_t>(partition) % cells_))
      halted.push_back(partition);
  }
  return halted;
}

void LandShare::drain() {
  if (!moves_.drain()) return;
  parts_.log_lines.info("An operator drains this node: it gives away what it holds.");
  parts_.announce();
}

template <class Outcome>
std::optional<Outcome> LandShare::poll(PolledWork<Outcome>& work,
                                       std::function<Outcome()> step) const {
  auto named = [step = std::move(step)] { return name_thread("land step"), step(); };
  return work.poll(std::move(named), [wakes = wakes_] { wakes->wake(); });
}

std::vector<int> LandShare::partitions_of(std::size_t cell) const {
  std::vector<int> partitions;
  for (int partition = 0; partition < parts_.log.partitions(); ++partition) {
    const bool is_read = std::ranges::any_of(projections_, [&](const auto* projection) {
      return projection->cells().at(cell).projector().reads(partition);
    });
    if (is_read) partitions.push_back(partition);
  }
  return partitions;
}

// No others: one that cannot be read just now keeps no other cell away.
std::optional<Result<std::vector<Position>>> LandShare::read_ends(std::size_t cell) {
  return poll<Result<std::vector<Position>>>(
      steps_[cell].ends, [this, cell] { return ends_of(parts_.log, partitions_of(cell)); });
}

// Lets all projections of a cell begin before one of them is waited for.
std::optional<Status> LandShare::fill(std::size_t cell, const std::vector<Position>& ends) {
  return poll<Status>(steps_[cell].fill, [this, cell, ends]() -> Status {
    const std::lock_guard lock(filling_);
    if (!history_wanted_[cell].exchange(true)) {
      if (const auto follows = follow_history(); !follows) {
        history_wanted_[cell] = false;
        return follows;
      }
    }
    for (auto* projection : projections_) {
      const auto begun = projection->begin(cell, ends, [this] { return ending_.load(); });
      if (!begun) return begun;
    }
    return kDone;
  });
}

// A loop that is waited for reads at once.
std::optional<Status> LandShare::reach(std::size_t cell, const std::vector<Position>& ends) {
  for (auto* projection : projections_) {
    auto& loop = projection->cells().at(cell);
    const auto behind =
        std::ranges::find_if(ends, [&](const auto& end) { return !has_reached(loop, end); });
    if (behind == ends.end()) continue;
    const auto& is_awaited = steps_[cell].is_awaited;
    if (is_awaited->exchange(true)) return std::nullopt;
    loop.when_reached({}, {behind->partition, behind->offset - 1}, kTurn,
                      [wakes = wakes_, is_awaited](bool) {
                        *is_awaited = false;
                        wakes->wake();
                      });
    return std::nullopt;
  }
  return poll<Status>(steps_[cell].read_history,
                      [this, cell, ends] { return read_history(cell, ends); });
}

std::optional<Status> LandShare::hold(std::size_t cell, const std::vector<Position>& ends) {
  return poll<Status>(steps_[cell].hold, [this, cell, ends]() -> Status {
    for (auto* projection : projections_) {
      const auto held = projection->hold(cell, ends, [this] { return ending_.load(); });
      if (!held) return held;
    }
    return kDone;
  });
}

Status LandShare::give_up(std::size_t cell) {
  Status given_up = kDone;
  for (auto* projection : projections_ | std::views::reverse) {
    if (const auto parked = projection->give_up(cell); !parked) given_up = parked;
  }
  if (!history_wanted_[cell].exchange(false)) return given_up;
  if (const auto follows = follow_history(); !follows) history_wanted_[cell] = true;
  return given_up;
}

Status LandShare::drop_rows(std::size_t cell) {
  Status dropped = kDone;
  for (auto* projection : projections_) {
    if (const auto its = projection->drop_rows(cell); !its) dropped = its;
  }
  return dropped;
}

// Has the index of the history follow the cells that want it. If that fails, it goes on to follow
// what it did before.
Status LandShare::follow_history() {
  const std::lock_guard lock(following_);
  std::set<int> partitions = {parts_.log.partition_of(kReferenceStream)};
  for (int partition = 0; partition < parts_.log.partitions(); ++partition) {
    if (history_wanted_[static_cast<std::size_t>(partition) % cells_]) partitions.insert(partition);
  }
  return parts_.index.follow_only(partitions);
}

// Lets the index read the history of a cell. An index that does not go on keeps no land away:
// queries for a history are refused then.
Status LandShare::read_history(std::size_t cell, const std::vector<Position>& ends) const {
  for (const auto& end : ends) {
    if (static_cast<std::size_t>(end.partition) % cells_ != cell) continue;
    const auto until = [&] { return parts_.steady() + kIndexMayRest; };
    auto given_up = until();
    for (auto next = parts_.index.next_of(end.partition); parts_.steady() < given_up;) {
      if (ending_) return ending();
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

void LandShare::Wakes::wake() {
  const std::lock_guard lock(mutex);
  ++count;
  changed.notify_all();
}

void LandShare::Wakes::rest(const std::stop_token& stop, std::uint64_t seen,
                            std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, at_most, [&] { return count != seen; });
}

void LandShare::run(const std::stop_token& stop, const std::function<void()>& turn) const {
  while (!stop.stop_requested()) {
    const auto woken = wakes_->count.load();
    turn();
    wakes_->rest(stop, woken, kTurn);
  }
}

void LandShare::report(Samples& to) const {
  to.gauge("tilth_cells_held", "Cells of the land that this node holds and announces.", {},
           static_cast<double>(moves_.phases().held()));
  to.gauge("tilth_cells_moving", "Cells of the land that this node takes or gives up.", {},
           static_cast<double>(moves_.moving()));
  to.counter("tilth_cells_taken_total", "Cells of the land that this node has taken.", {},
             static_cast<double>(moves_.taken()));
  to.counter("tilth_cells_given_up_total", "Cells of the land that this node has given up.", {},
             static_cast<double>(moves_.given_up()));
  const auto map = this->map();
  std::size_t lost = 0, short_of_copies = 0;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (moves_.phases().is_lost(cell, *map)) ++lost;
    const auto holders = map->others_that_go_on(cell) + (moves_.phases().goes_on(cell) ? 1 : 0);
    if (holders < static_cast<std::size_t>(parts_.copies)) ++short_of_copies;
  }
  to.gauge("tilth_cells_without_node",
           "Cells of the land that no live node holds, as far as this node knows.", {},
           static_cast<double>(lost));
  to.gauge("tilth_cells_short_of_copies",
           "Cells of the land that fewer live nodes hold than cluster.copies asks for, as far as "
           "this node knows.",
           {}, static_cast<double>(short_of_copies));
  to.gauge("tilth_node_draining", "1 if this node gives away what it holds, else 0.", {},
           draining() ? 1 : 0);
}

}  // namespace tilth
