#include "app/node/node_projections.h"

#include <ranges>
#include <utility>

#include "app/node/loop_call.h"

namespace tilth {

Result<ProjectionCells*> NodeProjections::open(EventLog& from, const Projection& which,
                                               const Division& division,
                                               const OnAccepted& on_accepted,
                                               const CommandLoop::DueWork& due) {
  const auto sources_of = [&](int cell) {
    CommandLoop::Sources sources{
        .node = parts_.node,
        .now = [&clock = parts_.clock] { return clock.now(); },
        .new_id = [&parts = parts_] { return parts.ids.uuid(parts.clock.now()); },
        .on_append = [&metrics = parts_.metrics](bool stale) { metrics.appended(stale); },
        .due = due};
    if (on_accepted) {
      sources.on_accepted = [on_accepted, cell](const Event& event, const LoggedRecord& logged,
                                                const RowBytes* row) {
        on_accepted(cell, event, logged, row);
      };
    }
    return sources;
  };
  auto folded = which;
  const auto& release = parts_.config.test_release;
  if (!release.empty()) folded.fingerprint += " of release " + release;
  auto opened = ProjectionCells::open(
      {.of_each = {from, parts_.config.data / "views", parts_.memory, parts_.overrides,
                   parts_.clock, parts_.log_lines, parts_.logs.embedded},
       .overrides = parts_.overrides,
       .layout = division.layout_of(from),
       .divided = division.among_nodes},
      folded, sources_of);
  if (!opened) return opened.error();
  return all_.emplace_back(std::move(*opened)).get();
}

Status NodeProjections::catch_up(const std::vector<Position>& ends,
                                 const std::function<bool()>& stop_asked) {
  for (const auto& projection : all_) projection->start();
  for (const auto& projection : all_) {
    auto& cells = projection->cells();
    for (const auto cell : cells.held()) {
      if (const auto there = reach_ends(cells.at(cell), ends, stop_asked); !there) return there;
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
                       [its = projection.get()] { return its->cells().waiting(); }});
  }
  return watched;
}

std::vector<BackedUp> NodeProjections::backed_up() const {
  std::vector<BackedUp> rows;
  for (const auto& projection : all_) {
    for (auto& part : projection->backed_up()) rows.push_back(std::move(part));
  }
  return rows;
}

void NodeProjections::cannot_read(const UnreadableRows& rows) {
  for (const auto& projection : all_) projection->cells().cannot_read(rows);
}

}  // namespace tilth
