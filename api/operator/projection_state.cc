#include "api/operator/projection_state.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/operator/member_json.h"

namespace tilth {
namespace {

std::optional<double> seconds_left(std::int64_t lag, double rate) {
  return lag > 0 && rate > 0 ? std::optional(static_cast<double>(lag) / rate) : std::nullopt;
}

std::string position_json(const Position& position) {
  std::string json = "{";
  append_member(json, "partition", position.partition);
  append_member(json, "offset", position.offset);
  return json + "}";
}

std::optional<std::string> reason_of(const ProjectionProgress& progress) {
  return progress.reason.empty() ? std::nullopt : std::optional(progress.reason);
}

void append_positions(std::string& json, const std::vector<Position>& positions) {
  json.push_back('[');
  for (const auto& position : positions) {
    if (json.back() != '[') json.push_back(',');
    json.append(position_json(position));
  }
  json.push_back(']');
}

std::string cell_json(const ProjectionStanding& cell, const LogEnds& ends) {
  const auto& progress = cell.progress;
  std::string json = "{";
  append_member(json, "cell", static_cast<std::int64_t>(cell.cell));
  append_member(json, "generation", cell.generation);
  append_member(json, "state", progress.state);
  append_member(json, "reason", reason_of(progress));
  json.append(",\"positions\":");
  append_positions(json, progress.next);
  append_member(json, "lagEvents", ends.lag_among(progress.next));
  return json + "}";
}

std::string building_json(const BuildingGeneration& building, const LogEnds& ends) {
  const auto lag = ends.lag_of(building.next);
  std::string json = "{";
  append_member(json, "generation", building.generation);
  append_member(json, "state", building.state);
  append_member(json, "lagEvents", lag);
  append_member(json, "eventsPerSecond", building.events_per_second);
  append_member(json, "etaSeconds", seconds_left(lag, building.events_per_second));
  return json + "}";
}

// A projection notices only a moment later that it has read everything.
ProjectionState state_of(const ProjectionProgress& progress, const LogEnds& ends) {
  const bool reads_on = progress.state == ProjectionState::kCatchingUp ||
                        progress.state == ProjectionState::kRebuilding;
  const bool reached = !progress.held_up && ends.reached_at(progress.next);
  return reads_on && reached ? ProjectionState::kRunning : progress.state;
}

}  // namespace

std::int64_t LogEnds::lag_among(const std::vector<Position>& next) const {
  std::int64_t lag = 0;
  for (const auto& [partition, offset] : next) {
    const auto end = by_partition.find(partition);
    if (end == by_partition.end()) continue;
    lag += std::max<std::int64_t>(0, end->second.value_or(0) - offset);
  }
  return lag;
}

std::int64_t LogEnds::lag_of(const std::vector<Position>& next) const {
  if (!next.empty()) return lag_among(next);
  std::vector<Position> beginning;
  for (const auto& [partition, end] : by_partition) beginning.push_back({partition, 0});
  return lag_among(beginning);
}

bool LogEnds::reached_at(const std::vector<Position>& next) const {
  return !next.empty() && std::ranges::all_of(next, [this](const Position& each) {
    const auto end = by_partition.find(each.partition);
    return end != by_partition.end() && end->second && *end->second <= each.offset;
  });
}

void ask_ends(EventLog& log, std::function<void(const LogEnds&)> done, std::shared_ptr<void> held) {
  struct Collected {
    std::shared_ptr<void> held;
    std::mutex mutex;
    LogEnds ends;
    std::size_t missing = 0;
  };
  const auto collected = std::make_shared<Collected>();
  collected->held = std::move(held);
  collected->missing = static_cast<std::size_t>(log.partitions());
  for (int partition = 0; partition < log.partitions(); ++partition) {
    log.end(partition, [&log, collected, partition, done](const Result<std::int64_t>& end) {
      bool last = false;
      {
        const std::lock_guard lock(collected->mutex);
        collected->ends.by_partition[partition] = end ? std::optional(*end) : std::nullopt;
        if (!end) collected->ends.trouble = end.error().message;
        last = --collected->missing == 0;
      }
      if (last && !collected->ends.trouble) {
        if (auto why = log.trouble(); !why.empty()) collected->ends.trouble = std::move(why);
      }
      if (!last) return;
      done(collected->ends);
      collected->held = nullptr;  // the log may store this callback for longer
    });
  }
}

std::string projection_json(const OperatedProjection& projection, const LogEnds& ends,
                            Timestamp now) {
  const auto standing = projection.standing();
  const auto& progress = standing.progress;
  const auto lag = ends.lag_of(progress.next);
  const auto steady_now = FoldRate::Steady::now();
  const double rate = progress.pace.per_second(steady_now);
  const double behind =
      lag > 0 ? progress.pace.seconds_behind(steady_now, progress.last_time, now) : 0;
  std::string json = "{";
  append_member(json, "name", projection.name());
  append_member(json, "generation", standing.generation);
  append_member(json, "state", state_of(progress, ends));
  append_member(json, "reason", reason_of(progress));
  json.append(",\"positions\":");
  append_positions(json, progress.next);
  append_member(json, "lagEvents", lag);
  append_member(json, "lagSeconds", behind);
  append_member(json, "eventsPerSecond", rate);
  append_member(json, "etaSeconds", seconds_left(lag, rate));
  json.append(",\"building\":");
  json.append(standing.building ? building_json(*standing.building, ends) : "null");
  append_member(json, "previous", standing.previous);
  append_member(json, "skipped", standing.skipped);
  json.append(",\"faultedAt\":");
  json.append(progress.poison ? position_json(progress.poison->position) : "null");
  json.append(",\"cells\":[");
  for (const auto& cell : standing.cells) {
    if (json.back() != '[') json.push_back(',');
    json.append(cell_json(cell, ends));
  }
  return json + "]}";
}

std::string readiness_json(const OperatedProjection& projection, const LogEnds& ends) {
  const auto progress = projection.standing().progress;
  std::string json = "{";
  append_member(json, "name", projection.name());
  append_member(json, "state", state_of(progress, ends));
  append_member(json, "reason", reason_of(progress));
  append_member(json, "lagEvents", ends.lag_of(progress.next));
  return json + "}";
}

bool is_ready(const ProjectionProgress& progress) {
  const auto state = progress.state;
  return state != ProjectionState::kFaulted && state != ProjectionState::kPaused &&
         !progress.held_up;
}

}  // namespace tilth
