#include "app/node/node_projections.h"

#include <chrono>
#include <future>
#include <ranges>
#include <utility>

namespace tilth {
namespace {

using namespace std::chrono_literals;

// Whether it has read up to `last`; false if it is faulted or paused and never will.
Result<bool> reaches(ProjectionKeeper& projection, const Position& last,
                     const std::function<bool()>& stop_asked) {
  while (!projection.loop().projector().is_halted()) {
    if (stop_asked()) return Error{ErrorCode::kUnavailable, "Stopped while starting."};
    std::promise<bool> reached;
    projection.loop().when_reached({}, last, 200ms, [&](bool is) { reached.set_value(is); });
    if (reached.get_future().get()) return true;
  }
  return false;
}

}  // namespace

Result<ProjectionKeeper*> NodeProjections::open(EventLog& from, Projection which,
                                                OnAccepted on_accepted, Decide due) {
  auto opened = ProjectionKeeper::open(
      {from, parts_.config.data / "views", parts_.memory, parts_.overrides, parts_.clock,
       parts_.log_lines},
      std::move(which),
      CommandLoop::Sources{
          .node = parts_.node,
          .now = [&clock = parts_.clock] { return clock.now(); },
          .new_id = [&parts = parts_] { return parts.ids.uuid(parts.clock.now()); },
          .on_accepted = std::move(on_accepted),
          .on_append = [&metrics = parts_.metrics](bool stale) { metrics.appended(stale); },
          .due = std::move(due)});
  if (!opened) return opened.error();
  return all_.emplace_back(std::move(*opened)).get();
}

Status NodeProjections::catch_up(const std::vector<Position>& ends,
                                 const std::function<bool()>& stop_asked) {
  for (const auto& projection : all_) projection->start();
  for (const auto& [partition, end] : ends) {
    if (end == 0) continue;
    for (const auto& projection : all_) {
      const auto reached = reaches(*projection, {partition, end - 1}, stop_asked);
      if (!reached) return reached.error();
    }
  }
  return kDone;
}

void NodeProjections::stop() {
  for (const auto& projection : all_ | std::views::reverse) projection->stop();
}

std::vector<OperatedProjection*> NodeProjections::operated() const {
  std::vector<OperatedProjection*> operated;
  for (const auto& projection : all_) operated.push_back(projection.get());
  return operated;
}

std::vector<WatchedProjection> NodeProjections::watched() const {
  std::vector<WatchedProjection> watched;
  for (const auto& projection : all_) {
    watched.push_back({projection->name(), [its = projection.get()] { return its->standing(); },
                       [its = projection.get()] { return its->loop().waiting(); }});
  }
  return watched;
}

std::vector<BackedUp> NodeProjections::backed_up() const {
  std::vector<BackedUp> rows;
  for (const auto& projection : all_) rows.push_back(projection->backed_up());
  return rows;
}

void NodeProjections::cannot_read(const UnreadableRows& rows) {
  for (const auto& projection : all_) projection->loop().projector().cannot_read(rows);
}

}  // namespace tilth
