#include "infra/metrics/service_watch.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "events/json/described.h"

namespace tilth {
ServiceWatch::ServiceWatch(EventLog& log, const Clock& clock,
                           std::vector<WatchedProjection> projections, std::function<bool()> begun)
    : log_(log), clock_(clock), projections_(std::move(projections)), begun_(std::move(begun)) {}

void ServiceWatch::report(Samples& to, std::chrono::milliseconds timeout) const {
  const auto ends = wait_for_ends(timeout);
  for (const auto& [partition, end] : ends.by_partition) {
    to.gauge("tilth_log_end_offset", "Where the next record will lie.",
             {{"partition", std::to_string(partition)}}, static_cast<double>(*end));
  }
  const bool writable = !ends.by_partition.empty() && !ends.trouble;
  to.gauge("tilth_log_writable", "1 if the log reports its end and takes records, else 0.", {},
           writable ? 1 : 0);
  bool ready = begun_() && writable;
  for (const auto& [name, ask, waiting] : projections_) {
    const auto standing = ask();
    ready = ready && is_ready(standing.progress);
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
    to.gauge("tilth_projection_swept_streams",
             "Streams with removed rows that are hidden and not erased yet.",
             {{"projection", name}}, static_cast<double>(progress.swept_streams));
    report_lag(name, progress, ends, to);
    report_rebuild(name, standing, ends, to);
    if (waiting) {
      to.gauge("tilth_commands_waiting", "Calls that wait for the log or for one another.",
               {{"projection", name}}, static_cast<double>(waiting()));
    }
  }
  to.gauge("tilth_ready", "1 if /readyz is 200, else 0.", {}, ready ? 1 : 0);
}

// The ends of all partitions, or of none.
LogEnds ServiceWatch::wait_for_ends(std::chrono::milliseconds timeout) const {
  const auto promise =
      std::make_shared<std::promise<LogEnds>>();  // the log may respond after this returns
  ask_ends(log_, [promise](const LogEnds& ends) { promise->set_value(ends); });
  auto answer = promise->get_future();
  if (answer.wait_for(timeout) != std::future_status::ready) return {};
  auto ends = answer.get();
  const bool all = std::all_of(ends.by_partition.begin(), ends.by_partition.end(),
                               [](const auto& end) { return end.second.has_value(); });
  return all ? std::move(ends) : LogEnds{};
}

void ServiceWatch::report_rebuild(const std::string& name, const ProjectionStanding& standing,
                                  const LogEnds& ends, Samples& to) {
  const auto& building = standing.building;
  if (!building || ends.by_partition.empty()) return;
  const std::string generation = std::to_string(building->generation);
  to.gauge("tilth_projection_building_lag_events",
           "Records that the generation which is being built has not folded yet.",
           {{"projection", name}, {"generation", generation}},
           static_cast<double>(ends.lag_of(building->next)));
  to.gauge("tilth_projection_building_events_per_second",
           "How fast the generation which is being built folds.",
           {{"projection", name}, {"generation", generation}}, building->events_per_second);
  to.gauge("tilth_projection_building_faulted",
           "1 if the generation which is being built cannot go on or be switched to, else 0.",
           {{"projection", name}, {"generation", generation}},
           building->state == ProjectionState::kFaulted ? 1 : 0);
}

void ServiceWatch::report_lag(const std::string& name, const ProjectionProgress& progress,
                              const LogEnds& ends, Samples& to) const {
  if (ends.by_partition.empty()) return;
  const auto behind = ends.lag_of(progress.next);
  to.gauge("tilth_projection_lag_events", "Records of the log that are not folded yet.",
           {{"projection", name}}, static_cast<double>(behind));
  to.gauge("tilth_projection_lag_seconds", "For how long it has been behind, at most.",
           {{"projection", name}},
           behind > 0 ? progress.pace.seconds_behind(FoldRate::Steady::now(), progress.last_time,
                                                     clock_.now())
                      : 0);
}

}  // namespace tilth
