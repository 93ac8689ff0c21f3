// A projection of this node: its cells, which start and stop together and which operators control
// as one.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/operator/operated_projection.h"
#include "app/node/projection_keeper.h"
#include "command/loop/cells.h"
#include "infra/node/backup.h"
#include "infra/node/overrides_file.h"

namespace tilth {

// Threads: open(), fill(), start() and stop() from one; all else from any, as the ports say.
//
// Crash: operators' overrides are stored before they are carried out, for all cells at once. What
// one cell has done of a rebuild or a switch, and another has not, stays so: cells share no rows.
class ProjectionCells final : public OperatedProjection {
 public:
  struct Parts {
    ProjectionKeeper::Parts of_each;
    OverridesFile& overrides;
    CellLayout layout;
    bool divided = false;  // among the nodes of a cluster: no cell is held before hold()
  };
  using SourcesOf = std::function<CommandLoop::Sources(int cell)>;

  // Opens the rows of each cell; nothing is folded yet. Removes rows of another number of cells.
  // All parts must outlive it. Errors: ProjectionKeeper::open()'s.
  static Result<std::unique_ptr<ProjectionCells>> open(const Parts& parts,
                                                       const Projection& projection,
                                                       const SourcesOf& sources_of);

  Cells& cells() { return cells_; }
  const Cells& cells() const { return cells_; }
  // The loop that decides on and folds that stream.
  CommandLoop& of(std::string_view stream) { return cells_.of(stream); }

  // As ProjectionKeeper::read_first(), in the cell of the stream.
  Status read_first(const std::string& stream, const std::function<void(const Rows&)>& read);

  // Has that cell follow the log from now on, unless it does. Its rows are those that it had when
  // it was let go, or are filled as by fill(). kUnavailable: `stop_asked` returned true. Threads:
  // of one cell begin(), hold(), give_up() and drop_rows() from one at a time.
  Status begin(std::size_t cell, const std::vector<Position>& ends,
               const std::function<bool()>& stop_asked);

  // Begins it, and returns once it has read up to `ends`: then it is held. If an operator has
  // paused the projection, or it is faulted, it is held as it is. kUnavailable: `stop_asked`
  // returned true.
  Status hold(std::size_t cell, const std::vector<Position>& ends,
              const std::function<bool()>& stop_asked);
  // The cell is held no longer: what is asked of it from now on is refused, what waits ends, and it
  // follows the log no more. Its rows stay as they are. It may be called again, for what was asked
  // too late. kUnavailable: it goes on to follow.
  Status give_up(std::size_t cell);

  // Removes the rows of a cell that was given up. What has begun to read them goes on.
  Status drop_rows(std::size_t cell);

  // As ProjectionKeeper::fill(), of these cells of all `projections` that have them. Those that
  // have started follow the log already.
  static Status fill(const std::vector<ProjectionCells*>& projections,
                     const std::vector<std::size_t>& cells, const std::vector<Position>& ends,
                     const std::function<bool()>& stop_asked);

  void start();
  void stop();

  // As ProjectionKeeper::purge(), in the cell of the stream.
  Status purge(const std::string& stream, const std::function<bool()>& goes_on);

  // Whether the stream's cell has rows on the disk, held or not.
  bool has_rows(const std::string& stream) const;

  std::vector<BackedUp> backed_up() const;

  const std::string& name() const override { return name_; }
  ProjectionStanding standing() const override;
  Status pause(const std::string& by) override;
  Status resume(const std::string& by) override;
  Status skip(Position position, const std::string& by) override;
  Result<int> rebuild(bool manual, const std::string& by) override;
  Status switch_over(bool to_previous) override;
  Status release() override;
  Result<Comparison> verify() override;

 private:
  using Keepers = std::vector<std::unique_ptr<ProjectionKeeper>>;

  ProjectionCells(const Parts& parts, std::string name, Keepers keepers);

  ProjectionKeeper& keeper_of(const std::string& stream) const {
    return *keepers_[cells_.number_of(stream)];
  }
  std::vector<ProjectionKeeper*> held() const;
  std::uint64_t with_cell(std::uint64_t records, std::uint64_t of_cell) const;
  Status keep_and_apply(const OperatorOverrides& overrides);
  Status drop_builds();
  Status check_switch(bool to_previous) const;

  const Parts parts_;
  const std::string name_;
  const Keepers keepers_;
  Cells cells_;
  std::vector<std::atomic<bool>> started_;  // by cell
  std::mutex ordering_;                     // one change of the overrides or builds at a time
  std::mutex switching_;                    // one switch, which may take long
};

}  // namespace tilth
