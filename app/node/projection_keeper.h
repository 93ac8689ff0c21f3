// A projection of this node: its generations, the loop that decides and folds on the live one, and
// what operators order.

#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/operator/operated_projection.h"
#include "app/node/loop_thread.h"
#include "app/node/rebuild_thread.h"
#include "command/loop/command_loop.h"
#include "infra/node/backup.h"
#include "infra/node/overrides_file.h"
#include "infra/rocksdb/generations.h"

namespace tilth {

// Threads: open(), start() and stop() belong to one. All else from any, as the ports say.
class ProjectionKeeper final : public OperatedProjection {
 public:
  struct Parts {
    EventLog& log;
    const std::filesystem::path views;
    const RocksMemory& memory;
    OverridesFile& orders;
    const Clock& clock;
    LogLines& log_lines;
  };

  // Opens the rows; nothing is folded yet. Rows of another shape, or that are damaged, are thrown
  // away, to be folded again. All parts must outlive it.
  static Result<std::unique_ptr<ProjectionKeeper>> open(const Parts& parts, Projection projection,
                                                        CommandLoop::Sources sources);
  ~ProjectionKeeper() override;

  CommandLoop& loop() { return *loop_; }
  const CommandLoop& loop() const { return *loop_; }

  // Reads what somebody needs of a stream before anything is folded. If it cannot be read the rows
  // are thrown away: their events will all be told. Before start().
  Status read_first(const std::string& stream, const std::function<void(const Rows&)>& read);

  // Fills the live rows at once where there are none and the log is long: after their shape has
  // changed, say. Before start(), if no one has to hear of every event. Ends where it is told to.
  Status fill(const std::vector<Position>& ends, const std::function<bool()>& stop_asked);

  // Begins to fold, and goes on with what was being built.
  void start();
  // What waits is answered kUnavailable.
  void stop();

  // The live rows, for a backup. It holds them open.
  BackedUp backed_up() const;

  const std::string& name() const override { return projection_.name; }
  ProjectionStanding standing() const override;
  Status pause() override;
  Status resume() override;
  Status skip(Position position) override;
  Result<int> rebuild(bool manual) override;
  Status switch_over(bool to_previous) override;
  Status release() override;
  Result<Comparison> verify() override;

 private:
  ProjectionKeeper(const Parts& parts, Projection projection,
                   std::unique_ptr<Generations> generations, CommandLoop::Sources sources);

  Status open();
  Status begin_again(const std::string& why);
  Status give(const OperatorOverrides& orders);
  Status drop_what_differs();
  Result<Comparison> compare(RocksStore& scratch);
  std::shared_ptr<RebuildThread> begin_rebuild(Generations::Store generation,
                                               RebuildThread::Choices choices);
  std::shared_ptr<RebuildThread> rebuilding() const;
  RebuildThread::Parts rebuild_parts();

  const Parts parts_;
  const Projection projection_;
  const std::unique_ptr<Generations> generations_;
  const std::unique_ptr<CommandLoop> loop_;
  std::unique_ptr<LoopThread> thread_;
  std::atomic<bool> stopping_ = false;

  std::mutex ordering_;       // one order at a time, but for those that only wait
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<RebuildThread> rebuild_;
  std::optional<ProjectionProgress> filling_;
};

}  // namespace tilth
