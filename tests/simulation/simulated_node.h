// A node in a simulated world: the real cells, command loops and projectors, which a scheduler
// runs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/loop/cells.h"
#include "projections/fold/cell_layout.h"
#include "tests/simulation/asked_prices.h"
#include "tests/simulation/forwarded_requests.h"
#include "tests/simulation/shown_rows.h"
#include "tests/simulation/simulated_api.h"
#include "tests/simulation/simulated_cell.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_share.h"
#include "tests/simulation/world.h"
#include "tests/simulation/world_sources.h"

namespace tilth::testing {

class SimulatedNode {
 public:
  // What is around it.
  struct Around {
    // Whose nodes divide the cells among them. Null: this node holds all.
    SimulatedCluster* cluster = nullptr;
    // Whether the real embedded log stores what is appended, and whether that is archived, and
    // sealed.
    bool log_on_disk = false, log_is_archived = false, log_is_sealed = false;
    // How many tasks an owner's rules may make on a day.
    std::int64_t rule_tasks_a_day = kRuleTasksADay;
    // Takes down what its reads show. Null: nothing does.
    ShownRows* shown = nullptr;
    // As CommandLoop::Sources says, of each stream in its own cell.
    std::function<void(const Event&, const LoggedRecord&)> on_accepted = {};
    // Now and then while a removal has more to erase: to end the process there.
    std::function<void(SimulatedNode&)> cut_short = {};
    // In a divided cluster, at each step that it makes with a cell. It must not end the process.
    std::function<void(SimulatedNode&, std::size_t cell)> moved = {};
  };

  SimulatedNode(World& world, SimulatedTopic& topic, std::string name, Around around);

  const std::string& name() const { return name_; }
  bool is_up() const { return all_ != nullptr; }
  bool is_ready() const { return is_up() && (!share_ || share_->is_ready()); }
  bool is_paused() const { return !world_.calm() && paused_until_ > world_.now(); }
  Timestamp now() const { return clock_.now(); }
  std::uint64_t lives() const { return lives_; }  // how often it was started or has died

  // `done` runs once: at the result, or when the node dies. False: it is down or not ready, and
  // nothing was sent.
  bool carry_out(CommandRequest request, CommandLoop::OnDone done);

  // A batch, at a node that is ready and holds all. `answered` runs once; null: the node has died.
  struct BatchClient {
    std::string owner, request_id, traceparent;
    std::function<void(const std::optional<HttpResponse>&)> answered;
    std::function<bool()> abandoned;
  };
  // The same for all batches of a simulation.
  struct BatchedBy {
    Commands& changes;  // through which the commands of its requests come back to carry_out()
    std::int64_t farm_limit = 0;
  };
  void carry_out_batch(HttpRequest request, BatchClient client, const BatchedBy& by);

  // Whether a read that begins now shows what happened at `position`: of the reference data, in
  // every cell.
  bool shows(const std::string& stream, const Position& position) const;

  // The version of a stream's rows if something is due in them by then. Null: nothing is, or other
  // nodes may have the stream.
  std::optional<std::uint64_t> version_if_due(const std::string& stream, Timestamp by) const;

  // Reads a stream once it shows what happened at `since` and what has fallen due, or its money
  // once that shows as much: `done` gets the version that it is at then. It runs once; null: the
  // node could not say in time, or is down.
  void read(const std::string& stream, const Position& since,
            std::function<void(std::optional<std::uint64_t>)> done);

  // As a service that becomes ready: `done` runs once readers see what is before these ends, unless
  // the node dies or stands still before.
  void when_reached(const std::vector<Position>& ends, std::function<void()> done);
  // read(), but of the rows as they are now.
  void read_at_once(const std::string& stream,
                    std::function<void(std::optional<std::uint64_t>)> done) {
    read_here(stream, std::nullopt, std::move(done));
  }

  // What all cells of the owners' land say, wherever they are: `done` gets their numbers, within
  // that time; null: the node has died.
  void ask_cells(std::chrono::milliseconds within,
                 std::function<void(std::optional<Result<CellTexts>>)> done) {
    forwarded_->ask_cells(within, std::move(done));
  }

  // All that the log holds is folded, and nothing waits. In a divided cluster it has what it should
  // have.
  bool is_at_rest() const;
  // Whether readers are shown rows of all its cells.
  bool shows_rows() const;
  // The rows that a projection's fold has now, by cell.
  std::vector<const RowReader*> rows(const std::string& projection) const;
  // The same of a divided cluster's node; null: it does not hold the cell.
  std::vector<const RowReader*> held_rows(const std::string& projection) const;
  const CellLayout& layout() const { return *layout_; }
  // What it knows of regional prices.
  const AskedPrices& prices() const { return prices_; }
  bool is_divided() const { return cluster_ != nullptr; }

  // Its cells, while it is up, and whether these have read as far as that, by partition.
  Cells& cells() { return *all_; }
  bool has_read(const std::vector<std::int64_t>& ends) const;

  // The part of the land that it holds; null: it is down, or holds everything.
  SimulatedShare* share() { return share_.get(); }
  const SimulatedShare* share() const { return share_.get(); }
  // Says that it stops, as it is told to. Returns whether it has: then it may be ended. To be
  // called until then. It must have given all away.
  bool leave() { return share_->leave(); }
  bool is_idle() const { return all_->waiting() == 0 && reading_ == 0 && forwarded_->empty(); }

  void start();  // or later, if a disk is full
  // The process dies. With it, the machine may lose power.
  void crash();
  // Stops for a while, as a process that is swapped out.
  void pause(World::Micros time);
  // One cell's thread gets no processor for a while.
  void stall_a_cell(World::Micros time);
  // An operator has all its projections of land stand still, or go on. It outlives the process.
  void order(bool paused);
  World::Steady::time_point last_ordered() const { return last_ordered_; }
  // An operator has the rows of a cell built again.
  void rebuild_a_cell();
  // An operator archives the beginning of the log, if it is to be archived.
  void archive_log();
  // After its end, an operator erases some of these from the log, if it is sealed.
  void erase(const std::set<std::string>& owners) { log_.erase(owners); }
  // The log that is on disk. Null: it is not.
  EventLog* log_on_disk() { return log_.is_on_disk() ? &log_ : nullptr; }
  // The log of the land, and that in which the nodes of a divided cluster announce themselves.
  void set_reachable(bool reachable) { log_.set_reachable(reachable); }
  void set_hears_others(bool hears) { announcements_->set_reachable(hears); }
  // It reads one partition late for a while.
  void slow_a_partition(World::Micros time);

 private:
  void divide();
  void begin_share();
  void turn_share();
  void on_accepted(const Event& event, const LoggedRecord& logged);
  bool is_here(const std::string& stream) const;
  void carry_out_here(CommandRequest request, CommandLoop::OnDone told);
  using OnRead = std::function<void(std::optional<std::uint64_t>)>;
  // `since`: it waits until the rows show what happened there; null: it does not wait.
  void read_here(const std::string& stream, const std::optional<Position>& since, OnRead done);
  void show(const std::string& stream, OnRead done);
  void show_land(const std::string& stream, OnRead done);
  void show_money(const std::string& stream, const std::vector<Position>& since, OnRead done);
  // What has to wait goes on with `then` if it came to pass; else `done` gets null.
  std::function<void(bool)> when_done(std::function<void()> then, OnRead done);
  bool has_read(std::size_t cell, const std::vector<std::int64_t>& ends) const;
  void turn(std::size_t cell);
  void schedule(std::size_t cell, World::Micros delay);
  void tick();
  void visit_what_is_due();
  Projection with_its_bug(Projection projection, int cell) const;
  bool is_caught_up(const Projector& projector) const;
  std::int64_t rule_tasks_a_day() const;
  Status open(std::vector<CommandLoop*>& loops);
  void start_later(const Error& why);
  void close();
  void must(const Status& done);

  World& world_;
  SimulatedTopic& topic_;
  const std::string name_;
  const WorldClock clock_;
  const std::size_t cascade_budget_;  // of some, so small that removals take several commits
  SimulatedLog log_;
  std::unique_ptr<CellLayout> layout_;
  std::set<std::string> visited_;  // streams on which its clock lets happen what is due
  std::uint64_t visits_ = 0;
  std::vector<std::unique_ptr<SimulatedCell>> cells_;
  SimulatedFollower market_;
  AskedPrices prices_;
  std::unique_ptr<Cells> all_;
  World::Steady::time_point paused_until_{};
  std::vector<World::Steady::time_point> stalled_until_;  // by cell
  std::vector<std::uint64_t> turns_;                      // by cell, those that were arranged
  OperatorOverrides orders_ = {};
  World::Steady::time_point last_ordered_{};
  std::uint64_t lives_ = 0;
  World::Steady::time_point started_{};
  const Around around_;
  // Of a divided cluster.
  SimulatedCluster* const cluster_;
  std::unique_ptr<SimulatedLog> announcements_;
  const IdSource ids_{ids_of(world_)};
  std::unique_ptr<SimulatedShare> share_;
  std::vector<bool> follows_;  // by cell, whether its rows follow the log
  std::unique_ptr<ForwardedRequests> forwarded_;
  std::size_t reading_ = 0;            // reads that wait here
  std::unique_ptr<SimulatedApi> api_;  // since its first batch
};

}  // namespace tilth::testing
