// The cells of a projection: loops that decide and fold side by side, each for streams of its own.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/loop/command_loop.h"
#include "projections/fold/cell_layout.h"

namespace tilth {

// Operation: all that concerns a stream is asked of its cell. A change of the reference data, which
// every cell folds, completes once all cells that go on have read it, on the thread of the last, so
// that no decision or query that begins later misses it. A cell that lags by more than five seconds
// is not waited for.
//
// The nodes of a cluster may divide the cells among them. What is asked of a cell that is not held
// here is refused with kUnavailable, or has not been reached.
//
// Threads: any.
class Cells final : public Commands {
 public:
  // `loops`: one for each cell of the layout; all are held. They must outlive it.
  Cells(CellLayout layout, std::vector<CommandLoop*> loops);
  // One cell with everything.
  explicit Cells(CommandLoop& only) : loops_{&only}, held_(1) { held_.front() = true; }

  std::size_t count() const { return loops_.size(); }
  std::size_t number_of(std::string_view stream) const;
  CommandLoop& of(std::string_view stream) const { return *loops_[number_of(stream)]; }
  CommandLoop& at(std::size_t cell) const { return *loops_[cell]; }

  // Whether the cell has its rows here, and follows the log.
  bool holds(std::size_t cell) const { return held_[cell]; }
  bool holds(std::string_view stream) const { return holds(number_of(stream)); }
  void set_held(std::size_t cell, bool held) { held_[cell] = held; }
  std::vector<std::size_t> held() const;

  void carry_out(CommandRequest request, OnDone done) override;

  // Whether the rows of a cell depend on that position: it reads the partition, or no partition of
  // the log is that one, and the position is never reached.
  bool concerns(std::size_t cell, const Position& position) const;

  // Whether the rows of `stream` have reached past `position`. They do not depend on a partition
  // that their cell does not read; for such a position another cell is asked, if one that is held
  // reads it.
  bool has_reached(const std::string& stream, const Position& position) const;
  // As CommandLoop::when_reached(), for the same.
  void when_reached(std::string stream, const Position& position, std::chrono::milliseconds timeout,
                    std::function<void(bool)> done) const;

  // The last position of each partition that some cell has read.
  std::vector<Position> read_so_far() const;

  // Commands that have not completed.
  std::size_t waiting() const;

  // Reports rows to the projector that owns them.
  void cannot_read(const UnreadableRows& rows) const;

  // From now on changes of the reference data complete without waiting for other cells. Call it
  // before the loops end: what is asked of a loop that has ended is not answered.
  void stop_waiting();

 private:
  // Where a position can be waited for: a loop that reads its partition, and the stream of which it
  // is asked, which is empty for another loop than the stream's.
  struct Reader {
    CommandLoop* loop;
    std::string stream;
  };
  // Null: no cell that is held here reads it.
  std::optional<Reader> reader_of(std::string stream, const Position& position) const;
  void complete_everywhere(const CommandResult& outcome, OnDone done);

  const std::optional<CellLayout> layout_;  // null: there is one cell
  const std::vector<CommandLoop*> loops_;
  std::deque<std::atomic<bool>> held_;  // by cell
  std::mutex mutex_;                    // held while other cells are asked to wait
  bool waits_ = true;
};

}  // namespace tilth
