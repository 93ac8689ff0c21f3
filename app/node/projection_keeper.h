// A cell of a projection: its generations, and the loop that decides and folds on the live one.

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/operator/operated_projection.h"
#include "app/node/loop_thread.h"
#include "app/node/rebuild_thread.h"
#include "command/loop/command_loop.h"
#include "infra/bulk/bulk_fold.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/node/backup.h"
#include "infra/node/overrides_file.h"
#include "infra/rocksdb/generations.h"
#include "infra/rocksdb/no_rows.h"

namespace tilth {

// Threads: open(), start() and stop() from one; all else from any, as the ports say.
class ProjectionKeeper {
 public:
  struct Parts {
    EventLog& log;
    const std::filesystem::path views;
    const RocksMemory& memory;
    const OverridesFile& overrides;
    const Clock& clock;
    LogLines& log_lines;
    EmbeddedEventLog* embedded;  // `log`, if it is embedded
  };

  // Opens the rows; nothing is folded yet. Discards damaged rows and rows of another shape, to be
  // folded again. All parts must outlive it.
  static Result<std::unique_ptr<ProjectionKeeper>> open(const Parts& parts, Projection projection,
                                                        CommandLoop::Sources sources);
  // The same, with its rows closed until prepare() or fill(), since they may not be wanted here.
  static std::unique_ptr<ProjectionKeeper> closed(const Parts& parts, Projection projection,
                                                  CommandLoop::Sources sources);
  ~ProjectionKeeper();

  CommandLoop& loop() { return *loop_; }
  const CommandLoop& loop() const { return *loop_; }

  // Of which projection, of which cell if there are several: "registry.2".
  std::string title() const { return projection_.title(); }

  // Reads a stream before anything is folded. If it cannot be read, the rows are discarded, and all
  // their events will be folded again. Before start().
  Status read_first(const std::string& stream, const std::function<void(const Rows&)>& read);

  // Fills missing live rows of these in bulk, all together, if the log is long, such as after a
  // change of their shape. Before start(), and only if no callback needs every event. Ends when
  // `stop_asked` returns true. Returns the number of records of each.
  static Result<std::vector<std::uint64_t>> fill(const std::vector<ProjectionKeeper*>& keepers,
                                                 const std::vector<Position>& ends,
                                                 const std::function<bool()>& stop_asked);

  // Removes the rows, which may still be read: all events will be folded again. Before start() or
  // after park().
  Status drop_rows();
  // Whether anything was folded into its rows, as far as is known, or those of before are still
  // read.
  bool has_rows() const;

  // Starts to fold, and resumes building an unfinished generation.
  void start();
  // Stops to fold until start(): completes everything that waits with kUnavailable, and gives up
  // the generation that is being built. It may be called again, for what came too late.
  Status park();
  // Opens the rows if they are closed, or if that has failed since park(). Before start().
  Status prepare();
  // Completes everything that waits with kUnavailable.
  void stop();

  // Removes from the files what was erased from that stream's rows, once no removal is in progress,
  // and drops the previous generation. Gives up once `goes_on` returns false. kUnavailable:
  // something may be left, such as while a generation is being built.
  Status purge(const std::string& stream, const std::function<bool()>& goes_on);

  // The live rows, for a backup, which keeps them open.
  BackedUp backed_up() const;

  // Without what operators let it skip. Threads: any.
  ProjectionStanding standing() const;

  // From now on, also in what is being built. kUnavailable: the service ends.
  Status apply(const OperatorOverrides& overrides);

  // Stops the generation that is being built; returns whether there is one.
  Result<bool> stop_building();
  Status go_on_building();

  // The highest number of a generation so far.
  int last_generation() const { return generations_->plan().last; }
  // As OperatedProjection, for this cell; the generation gets that number or a higher one.
  Result<int> rebuild(bool manual, int at_least);
  Status switch_over(bool to_previous);
  Status release();
  Result<Comparison> verify();

  // Gives up the generation that is being built, if there is one.
  Status abandon_build();

 private:
  ProjectionKeeper(const Parts& parts, Projection projection,
                   std::unique_ptr<Generations> generations, CommandLoop::Sources sources);

  Status open();
  Status open_rows();
  Status begin_again_if_damaged(const Status& opened);
  Status reopen();
  Status give_up_build();
  bool is_worth_filling(const std::vector<Position>& ends) const;
  void report_filling(const BulkFold::Progress& progress);
  Status end_filling();
  Result<Comparison> compare(RocksStore& scratch);
  std::shared_ptr<RebuildThread> begin_rebuild(Generations::Store generation,
                                               RebuildThread::Choices choices);
  std::shared_ptr<RebuildThread> rebuilding() const;
  RebuildThread::Parts rebuild_parts();

  const Parts parts_;
  const Projection projection_;
  const std::unique_ptr<Generations> generations_;
  NoRows no_rows_;                            // while they are closed
  const std::unique_ptr<EventLog> followed_;  // what concerns it of the log; null: on Kafka
  const std::unique_ptr<CommandLoop> loop_;
  std::unique_ptr<LoopThread> thread_;
  std::atomic<bool> stopping_ = false;

  std::mutex ordering_;     // one change at a time, except those that only wait
  bool is_parked_ = false;  // guarded by ordering_
  // Whether it is known what it has read; changed only before start() and after park().
  std::atomic<bool> is_open_ = true;
  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<RebuildThread> rebuild_;
  std::optional<ProjectionProgress> filling_;
};

}  // namespace tilth
