#include "app/node/projection_cells.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ranges>
#include <system_error>
#include <utility>

#include "api/http/refusal.h"
#include "api/operator/merged_standing.h"
#include "app/node/loop_call.h"
#include "app/node/row_divisions.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

// Where nodes divide the land, a backup has the cells that its node held.
void remove_other_layouts(const ProjectionKeeper::Parts& parts, const std::string& projection,
                          const std::vector<std::string>& titles, bool divided) {
  const auto removed =
      remove_other_divisions(parts.views, projection, titles, divided, [](const auto& folder) {
        std::error_code failed;
        std::filesystem::remove_all(folder, failed);
        return failed;
      });
  for (const auto& [folder, why] : removed.left) {
    // Their fingerprint names the division, so they are not read, and the next start tries again.
    parts.log_lines.warn("Rows that are divided otherwise could not be removed.",
                         {{"folder", folder.string()}, {"reason", why.message()}});
  }
  if (!removed.any) return;
  parts.log_lines.warn(
      "The rows of " + projection + " are divided otherwise now; they are folded again.",
      {{"cells", static_cast<std::int64_t>(titles.size())}});
}

}  // namespace

Result<std::unique_ptr<ProjectionCells>> ProjectionCells::open(const Parts& parts,
                                                               const Projection& projection,
                                                               const SourcesOf& sources_of) {
  std::vector<Projection> divided;
  std::vector<std::string> titles;
  for (int cell = 0; cell < parts.layout.cells(); ++cell) {
    divided.push_back(parts.layout.part_of(projection, cell));
    titles.push_back(divided.back().title());
  }
  remove_other_layouts(parts.of_each, projection.name, titles, parts.divided);
  Keepers keepers;
  for (int cell = 0; cell < parts.layout.cells(); ++cell) {
    auto& its = divided[static_cast<std::size_t>(cell)];
    // Most cells are held by other nodes, but for that of the reference data.
    if (parts.divided && cell != parts.layout.cell_of(kReferenceStream)) {
      keepers.push_back(ProjectionKeeper::closed(parts.of_each, std::move(its), sources_of(cell)));
      continue;
    }
    auto opened = ProjectionKeeper::open(parts.of_each, std::move(its), sources_of(cell));
    if (!opened) return opened.error();
    keepers.push_back(std::move(*opened));
  }
  return std::unique_ptr<ProjectionCells>(
      new ProjectionCells(parts, projection.name, std::move(keepers)));
}

ProjectionCells::ProjectionCells(const Parts& parts, std::string name, Keepers keepers)
    : parts_(parts),
      name_(std::move(name)),
      keepers_(std::move(keepers)),
      cells_(parts.layout,
             [this] {
               std::vector<CommandLoop*> loops;
               for (const auto& keeper : keepers_) loops.push_back(&keeper->loop());
               return loops;
             }()),
      started_(keepers_.size()) {
  for (std::size_t cell = 0; cell < keepers_.size(); ++cell) cells_.set_held(cell, !parts.divided);
}

std::vector<ProjectionKeeper*> ProjectionCells::held() const {
  std::vector<ProjectionKeeper*> held;
  for (const auto cell : cells_.held()) held.push_back(keepers_[cell].get());
  return held;
}

Status ProjectionCells::read_first(const std::string& stream,
                                   const std::function<void(const Rows&)>& read) {
  return keeper_of(stream).read_first(stream, read);
}

Status ProjectionCells::fill(const std::vector<ProjectionCells*>& projections,
                             const std::vector<std::size_t>& cells,
                             const std::vector<Position>& ends,
                             const std::function<bool()>& stop_asked) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<ProjectionKeeper*> keepers;
  std::vector<ProjectionCells*> projection_of;  // each of them
  for (auto* projection : projections) {
    for (const auto cell : cells) {
      if (cell >= projection->keepers_.size() || projection->started_[cell]) continue;
      keepers.push_back(projection->keepers_[cell].get());
      projection_of.push_back(projection);
    }
  }
  const auto filled = ProjectionKeeper::fill(keepers, ends, stop_asked);
  if (!filled) return filled.error();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  for (auto* projection : projections) {
    std::uint64_t records = 0;
    std::int64_t folded = 0;
    for (std::size_t i = 0; i < keepers.size(); ++i) {
      if (projection_of[i] != projection || (*filled)[i] == 0) continue;
      records = projection->with_cell(records, (*filled)[i]);
      ++folded;
    }
    if (records == 0) continue;
    projection->parts_.of_each.log_lines.info(
        "The rows of " + projection->name_ + " are folded.",
        {{"cells", folded},
         {"records", records},
         {"milliseconds", static_cast<std::int64_t>(took.count() * 1'000)}});
  }
  return kDone;
}

// In one partition each cell passes over the records of the others.
std::uint64_t ProjectionCells::with_cell(std::uint64_t records, std::uint64_t of_cell) const {
  const bool is_shared = parts_.of_each.log.partitions() == 1;
  return is_shared ? std::max(records, of_cell) : records + of_cell;
}

void ProjectionCells::start() {
  for (const auto cell : cells_.held()) {
    if (started_[cell]) continue;
    started_[cell] = true;
    keepers_[cell]->start();
  }
}

Status ProjectionCells::begin(std::size_t cell, const std::vector<Position>& ends,
                              const std::function<bool()>& stop_asked) {
  if (started_[cell]) return kDone;
  auto& keeper = *keepers_[cell];
  if (const auto open = keeper.prepare(); !open) return open;
  keeper.loop().projector().apply_overrides(parts_.overrides.of(name_));
  const auto filled = ProjectionKeeper::fill({&keeper}, ends, stop_asked);
  if (!filled) return filled.error();
  keeper.start();
  started_[cell] = true;
  return kDone;
}

Status ProjectionCells::hold(std::size_t cell, const std::vector<Position>& ends,
                             const std::function<bool()>& stop_asked) {
  if (const auto begun = begin(cell, ends, stop_asked); !begun) return begun;
  // Until it is held, it is given no overrides.
  const auto apply_overrides_here = [&] {
    return keepers_[cell]->apply(parts_.overrides.of(name_));
  };
  {
    const std::lock_guard lock(ordering_);
    if (const auto goes_on = apply_overrides_here(); !goes_on) return goes_on;
  }
  if (const auto there = reach_ends(keepers_[cell]->loop(), ends, stop_asked); !there) return there;
  const std::lock_guard lock(ordering_);
  if (const auto outcome = apply_overrides_here(); !outcome) return outcome;
  cells_.set_held(cell, true);
  return kDone;
}

Status ProjectionCells::give_up(std::size_t cell) {
  cells_.set_held(cell, false);
  const auto parked = keepers_[cell]->park();
  if (parked) started_[cell] = false;
  return parked;
}

Status ProjectionCells::drop_rows(std::size_t cell) { return keepers_[cell]->drop_rows(); }

void ProjectionCells::stop() {
  cells_.stop_waiting();
  for (const auto& keeper : keepers_ | std::views::reverse) keeper->stop();
}

Status ProjectionCells::purge(const std::string& stream, const std::function<bool()>& goes_on) {
  return keeper_of(stream).purge(stream, goes_on);
}

bool ProjectionCells::has_rows(const std::string& stream) const {
  return keeper_of(stream).has_rows();
}

std::vector<BackedUp> ProjectionCells::backed_up() const {
  std::vector<BackedUp> rows;
  for (const auto* keeper : held()) rows.push_back(keeper->backed_up());
  return rows;
}

ProjectionStanding ProjectionCells::standing() const {
  std::vector<ProjectionStanding> cells;
  for (const auto cell : cells_.held()) {
    cells.push_back(keepers_[cell]->standing());
    cells.back().cell = cell;
  }
  if (cells.empty()) cells.push_back(keepers_.front()->standing());  // it is about to be held
  auto standing = merged(std::move(cells));
  if (parts_.divided) {  // a counter of the process: it does not fall when a cell leaves
    auto& folded = standing.progress.folded = 0;
    for (const auto& keeper : keepers_) folded += keeper->standing().progress.folded;
  }
  standing.skipped = parts_.overrides.of(name_).skipped;
  return standing;
}

// Stores them first: a crash would lose changes that are not stored.
Status ProjectionCells::keep_and_apply(const OperatorOverrides& overrides) {
  if (const auto kept = parts_.overrides.keep(name_, overrides); !kept) return kept;
  Status outcome = kDone;
  for (auto* keeper : held()) {
    if (const auto applied = keeper->apply(overrides); !applied) outcome = applied;
  }
  return outcome;
}

Status ProjectionCells::pause(const std::string& by) {
  const std::lock_guard lock(ordering_);
  bool stopped = false;
  for (auto* keeper : held()) {
    const auto build = keeper->stop_building();
    if (!build) return build.error();
    stopped = stopped || *build;
  }
  if (stopped) {
    parts_.of_each.log_lines.warn("An operator has stopped what is being built.",
                                  {{"projection", name_}, {"operator", by}});
    return kDone;
  }
  auto overrides = parts_.overrides.of(name_);
  if (std::exchange(overrides.paused, true)) return kDone;
  parts_.of_each.log_lines.warn("An operator has paused the projection.",
                                {{"projection", name_}, {"operator", by}});
  return keep_and_apply(overrides);
}

Status ProjectionCells::resume(const std::string& by) {
  const std::lock_guard lock(ordering_);
  for (auto* keeper : held()) {
    if (const auto goes_on = keeper->go_on_building(); !goes_on) return goes_on;
  }
  auto overrides = parts_.overrides.of(name_);
  if (!std::exchange(overrides.paused, false)) return kDone;
  parts_.of_each.log_lines.info("An operator resumes the projection.",
                                {{"projection", name_}, {"operator", by}});
  return keep_and_apply(overrides);
}

Status ProjectionCells::skip(Position position, const std::string& by) {
  const std::lock_guard lock(ordering_);
  std::optional<ProjectionProgress> faulted;
  for (auto* keeper : held()) {
    auto progress = keeper->standing().progress;
    if (progress.poison && (!faulted || progress.poison->position == position)) {
      faulted = std::move(progress);
    }
  }
  if (!faulted) {
    return Error{ErrorCode::kConflict, "The projection stands at no event that it cannot read."};
  }
  const auto& poison = *faulted->poison;
  if (poison.position != position) {
    return Error{ErrorCode::kConflict, "The projection stands at partition " +
                                           std::to_string(poison.position.partition) + ", offset " +
                                           std::to_string(poison.position.offset) + "."};
  }
  auto overrides = parts_.overrides.of(name_);
  overrides.skipped.push_back({position.partition, position.offset, poison.event_id,
                               faulted->reason, parts_.of_each.clock.now()});
  parts_.of_each.log_lines.warn("An operator lets the projection pass over an event.",
                                {{"projection", name_},
                                 {"operator", by},
                                 {"eventId", poison.event_id},
                                 {"partition", position.partition},
                                 {"offset", position.offset},
                                 {"reason", faulted->reason}});
  return keep_and_apply(overrides);
}

Status ProjectionCells::drop_builds() {
  for (auto* keeper : held()) {
    if (const auto dropped = keeper->abandon_build(); !dropped) return dropped;
  }
  return kDone;
}

// A build that differs in a cell waits only for an operator, and another one may take its place.
Result<int> ProjectionCells::rebuild(bool manual, const std::string& by) {
  const std::lock_guard lock(ordering_);
  if (held().empty()) return not_ready();
  const auto building = standing().building;
  if (building && building->state != ProjectionState::kFaulted) {
    return Error{ErrorCode::kConflict, "A generation of " + name_ + " is being built already."};
  }
  if (const auto dropped = drop_builds(); !dropped) return dropped.error();
  int generation = 0;  // the same in all cells
  for (auto* keeper : held()) {
    generation = std::max(generation, keeper->last_generation() + 1);
  }
  for (auto* keeper : held()) {
    const auto begun = keeper->rebuild(manual, generation);
    if (begun) continue;
    const auto dropped = drop_builds();
    return dropped ? begun.error() : dropped.error();
  }
  parts_.of_each.log_lines.info(
      "An operator has the projection rebuilt.",
      {{"projection", name_}, {"operator", by}, {"generation", generation}});
  return generation;
}

// Before the first cell switches, so that a refusal changes nothing.
Status ProjectionCells::check_switch(bool to_previous) const {
  bool any = false;
  for (auto* keeper : held()) {
    const auto cell = keeper->standing();
    if (to_previous && (cell.building || !cell.previous)) {
      return Error{ErrorCode::kConflict,
                   cell.building ? "A generation of " + keeper->title() + " is being built."
                                 : "There is no former generation of " + keeper->title() + "."};
    }
    if (to_previous || !cell.building) continue;
    any = true;
    const auto state = cell.building->state;
    if (state == ProjectionState::kRunning || state == ProjectionState::kFaulted) continue;
    return Error{ErrorCode::kConflict, "Generation " + std::to_string(cell.building->generation) +
                                           " of " + keeper->title() +
                                           " has not caught up and been compared yet."};
  }
  if (to_previous || any) return kDone;
  return Error{ErrorCode::kConflict, "No generation of " + name_ + " waits."};
}

// Some cells may have switched: those that were equal, of a build that differs in another one, and
// those before one that could not. The first cell is the first to switch.
Status ProjectionCells::switch_over(bool to_previous) {
  const std::unique_lock switching(switching_, std::try_to_lock);
  if (!switching) return Error{ErrorCode::kConflict, name_ + " is being switched already."};
  const auto cells = held();
  if (cells.empty()) return not_ready();
  if (const auto may = check_switch(to_previous); !may) return may;
  const auto first = cells.front()->standing(), last = cells.back()->standing();
  const int target =
      first.generation == last.generation ? first.previous.value_or(0) : first.generation;
  for (auto* keeper : held()) {
    const auto cell = keeper->standing();
    const bool has_switched = to_previous ? cell.generation == target : !cell.building;
    if (has_switched) continue;
    if (const auto done = keeper->switch_over(to_previous); !done) return done;
  }
  return kDone;
}

Status ProjectionCells::release() {
  const std::lock_guard lock(ordering_);
  if (held().empty()) return not_ready();
  for (auto* keeper : held()) {
    if (const auto released = keeper->release(); !released) return released;
  }
  return kDone;
}

// Of a cell that is given up meanwhile, the node that takes it can compare the rows.
Result<Comparison> ProjectionCells::verify() {
  Comparison all;
  bool any = false;
  for (const auto cell : cells_.held()) {
    const auto compared = keepers_[cell]->verify();
    if (!compared && !cells_.holds(cell)) continue;
    if (!compared) return compared;
    any = true;
    all.rows += compared->rows;
    all.found += compared->found;
    for (const auto& difference : compared->differences) {
      if (all.differences.size() < Comparison::kMostReported) all.differences.push_back(difference);
    }
  }
  if (!any) return not_ready();
  return all;
}

}  // namespace tilth
