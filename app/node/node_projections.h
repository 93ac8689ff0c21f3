// The projections of a node: opened one by one, then followed and stopped together.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/node/node_logs.h"
#include "app/node/projection_cells.h"
#include "events/log/event_log.h"
#include "infra/config/config.h"
#include "infra/metrics/metrics.h"
#include "infra/metrics/service_watch.h"

namespace tilth {

// Threads: one opens, starts and stops them.
class NodeProjections {
 public:
  // Borrowed; must outlive the projections.
  struct Parts {
    const Config& config;
    std::string node;      // ce_source
    const NodeLogs& logs;  // not open yet
    const RocksMemory& memory;
    OverridesFile& overrides;
    const Clock& clock;
    const IdSource& ids;
    Metrics& metrics;
    LogLines& log_lines;
  };

  explicit NodeProjections(Parts parts) : parts_(std::move(parts)) {}

  // How a projection is divided. Cells that the nodes of a cluster divide among them are not held
  // before ProjectionCells::hold().
  struct Division {
    int cells = 1;
    bool among_nodes = false;

    CellLayout layout_of(const EventLog& log) const {
      using Reference = CellLayout::ReferenceData;
      return {log, cells, among_nodes ? Reference::kApart : Reference::kInItsCell};
    }
  };

  // A record that counts, in the cell that has folded it. Every cell folds the reference data.
  // `row`: the one that the event is about, or null.
  using OnAccepted =
      std::function<void(int cell, const Event&, const LoggedRecord&, const RowBytes* row)>;
  // Opens the rows of one projection; nothing is folded yet. Errors: ProjectionCells::open()'s.
  Result<ProjectionCells*> open(EventLog& from, const Projection& which, const Division& division,
                                const OnAccepted& on_accepted = {},
                                const CommandLoop::DueWork& due = {});

  // Starts to fold, and returns when each has read what the log held then. A faulted or paused
  // projection does not delay the others. kUnavailable: `stop_asked` returned true.
  Status catch_up(const std::vector<Position>& ends, const std::function<bool()>& stop_asked);

  void stop();  // in reverse order of opening

  std::vector<OperatedProjection*> operated() const;
  std::vector<WatchedProjection> watched() const;
  std::vector<BackedUp> backed_up() const;
  // Faults the projection that owns the rows.
  void cannot_read(const UnreadableRows& rows);

 private:
  const Parts parts_;
  std::vector<std::unique_ptr<ProjectionCells>> all_;
};

}  // namespace tilth
