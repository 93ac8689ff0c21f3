#include "api/operator/merged_standing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tilth {
namespace {

using Standings = std::vector<ProjectionStanding>;

// One partition may have the streams of all cells: then each cell reads all records.
bool read_the_same(const Standings& cells) {
  const auto partitions = [](const ProjectionStanding& cell) {
    std::set<int> read;
    for (const auto& next : cell.progress.next) read.insert(next.partition);
    return read;
  };
  return std::ranges::all_of(
      cells, [&](const auto& cell) { return partitions(cell) == partitions(cells.front()); });
}

std::string reasons(const Standings& cells) {
  const auto& first = cells.front().progress.reason;
  const bool same =
      std::ranges::all_of(cells, [&](const auto& cell) { return cell.progress.reason == first; });
  if (same) return first;
  std::string all;
  for (const auto& cell : cells) {
    const auto& reason = cell.progress.reason;
    if (reason.empty()) continue;
    all.append(all.empty() ? "" : " ").append("Cell " + std::to_string(cell.cell) + ": " + reason);
  }
  return all;
}

ProjectionProgress progress_of(const Standings& cells, bool all_read_the_same) {
  auto all = cells.front().progress;
  ReadByAll next;
  for (const auto& cell : cells) {
    const auto& its = cell.progress;
    next.add(its.next);
    if (&cell == &cells.front()) continue;
    all.state = std::max(all.state, its.state);
    all.held_up = all.held_up || its.held_up;
    all.swept_streams += its.swept_streams;
    if (!all.poison) all.poison = its.poison;
    if (its.last_time)
      all.last_time = std::min(all.last_time.value_or(*its.last_time), *its.last_time);
    if (all_read_the_same) {
      all.folded = std::min(all.folded, its.folded);
      all.pace.slow_to(its.pace);
    } else {
      all.folded += its.folded;
      all.pace.add(its.pace);
    }
  }
  all.next = next.positions();
  all.reason = reasons(cells);
  return all;
}

std::optional<BuildingGeneration> building_of(const Standings& cells, bool all_read_the_same) {
  std::optional<BuildingGeneration> all;
  ReadByAll next;
  for (const auto& cell : cells) {
    next.add(cell.building ? cell.building->next : cell.progress.next);
    if (!cell.building) continue;
    const auto& its = *cell.building;
    if (!all) {
      all = its;
      continue;
    }
    all->generation = std::max(all->generation, its.generation);
    all->state = std::max(all->state, its.state);
    all->events_per_second = all_read_the_same
                                 ? std::min(all->events_per_second, its.events_per_second)
                                 : all->events_per_second + its.events_per_second;
  }
  if (all) all->next = next.positions();
  return all;
}

}  // namespace

void ReadByAll::add(const std::vector<Position>& next) {
  for (const auto& [partition, offset] : next) {
    const auto [at, is_new] = next_.emplace(partition, offset);
    if (!is_new) at->second = std::min(at->second, offset);
  }
}

std::vector<Position> ReadByAll::positions() const {
  std::vector<Position> positions;
  for (const auto& [partition, offset] : next_) positions.push_back({partition, offset});
  return positions;
}

ProjectionStanding merged(std::vector<ProjectionStanding> cells) {
  if (cells.size() == 1) return std::move(cells.front());
  const bool all_read_the_same = read_the_same(cells);
  ProjectionStanding all{.generation = cells.front().generation,
                         .progress = progress_of(cells, all_read_the_same),
                         .building = building_of(cells, all_read_the_same)};
  for (const auto& cell : cells) {
    all.generation = std::min(all.generation, cell.generation);
    if (cell.previous) all.previous = std::max(all.previous.value_or(0), *cell.previous);
  }
  all.cells = std::move(cells);
  return all;
}

}  // namespace tilth
