#include "infra/metrics/service_watch.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "events/described.h"

namespace tilth {
namespace {

std::int64_t lag_of(const std::vector<Position>& next, const std::map<int, std::int64_t>& ends) {
  std::int64_t behind = 0;
  for (const auto& [partition, offset] : next) {
    const auto end = ends.find(partition);
    if (end != ends.end()) behind += std::max<std::int64_t>(0, end->second - offset);
  }
  return behind;
}

}  // namespace

ServiceWatch::ServiceWatch(EventLog& log, const Clock& clock,
                           std::vector<WatchedProjection> projections)
    : log_(log), clock_(clock), projections_(std::move(projections)) {}

void ServiceWatch::tell(Samples& to, std::chrono::milliseconds patience) const {
  const auto ends = ask_ends(patience);
  for (const auto& [partition, end] : ends) {
    to.gauge("tilth_log_end_offset", "Where the next record will lie.",
             {{"partition", std::to_string(partition)}}, static_cast<double>(end));
  }
  for (const auto& [name, ask, waiting] : projections_) {
    const auto standing = ask();
    const auto& progress = standing.progress;
    for (const auto& [state, label] : labels(ProjectionState{})) {
      to.gauge("tilth_projection_state", "1 for the state that the projection is in, else 0.",
               {{"projection", name}, {"state", std::string(label)}},
               progress.state == state ? 1 : 0);
    }
    to.counter("tilth_projection_folded_events_total", "Records folded since the start.",
               {{"projection", name}}, static_cast<double>(progress.folded));
    to.gauge("tilth_projection_generation", "The generation that is read.", {{"projection", name}},
             standing.generation);
    to.gauge("tilth_projection_skipped_events", "Events that an operator let it pass over.",
             {{"projection", name}}, static_cast<double>(standing.skipped.size()));
    tell_lag(name, progress, ends, to);
    tell_building(name, standing, ends, to);
    if (waiting) {
      to.gauge("tilth_commands_waiting", "Calls that wait for the log or for one another.",
               {{"projection", name}}, static_cast<double>(waiting()));
    }
  }
}

// The ends of all partitions, or nothing.
ServiceWatch::Ends ServiceWatch::ask_ends(std::chrono::milliseconds patience) const {
  struct Answers {
    std::mutex mutex;
    std::condition_variable arrived;
    Ends ends;
    bool unknown = false;
  };
  const auto answers = std::make_shared<Answers>();  // the log may answer when we are gone
  const auto partitions = static_cast<std::size_t>(log_.partitions());
  for (int partition = 0; partition < log_.partitions(); ++partition) {
    log_.end(partition, [answers, partition](const Result<std::int64_t>& end) {
      const std::lock_guard lock(answers->mutex);
      if (end) answers->ends[partition] = *end;
      if (!end) answers->unknown = true;
      answers->arrived.notify_one();
    });
  }
  std::unique_lock lock(answers->mutex);
  answers->arrived.wait_for(lock, patience,
                            [&] { return answers->unknown || answers->ends.size() == partitions; });
  return answers->ends.size() == partitions ? answers->ends : Ends{};
}

void ServiceWatch::tell_building(const std::string& name, const ProjectionStanding& standing,
                                 const Ends& ends, Samples& to) {
  const auto& building = standing.building;
  if (!building || ends.empty()) return;
  const std::string generation = std::to_string(building->generation);
  to.gauge("tilth_projection_building_lag_events",
           "Records that the generation which is being built has not folded yet.",
           {{"projection", name}, {"generation", generation}},
           static_cast<double>(lag_of(building->next, ends)));
  to.gauge("tilth_projection_building_events_per_second",
           "How fast the generation which is being built folds.",
           {{"projection", name}, {"generation", generation}}, building->events_per_second);
}

void ServiceWatch::tell_lag(const std::string& name, const ProjectionProgress& progress,
                            const Ends& ends, Samples& to) const {
  if (ends.empty()) return;
  const auto behind = lag_of(progress.next, ends);
  to.gauge("tilth_projection_lag_events", "Records of the log that are not folded yet.",
           {{"projection", name}}, static_cast<double>(behind));
  to.gauge("tilth_projection_lag_seconds", "For how long it has been behind, at most.",
           {{"projection", name}},
           behind > 0
               ? progress.pace.seconds_behind(Pace::Steady::now(), progress.last_time, clock_.now())
               : 0);
}

}  // namespace tilth
