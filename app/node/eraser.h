// Erases people from a node and its log, and finishes that after a crash.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/keys/access_lease.h"
#include "api/platform/person_eraser.h"
#include "api/platform/row_faults.h"
#include "app/node/node_usage.h"
#include "app/node/projection_cells.h"
#include "infra/keys/owner_keys.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Operation: one person after another, in this order.
//
//   1. UserErased: the account is closed, and its keys and sessions no longer work.
//   2. The person's key is destroyed: what it sealed in the log is unreadable, in backups too.
//   3. RecordsErased: the rows of what the person recorded are removed.
//   4. What is left in memory and in the files of read models, sessions and the request log is
//      removed, and a note is made of that.
//
// A caller gets the answer once no node admits the person's keys any more, also if not all of it is
// done.
//
// Where nodes share the log, each does that: the first makes the events and destroys the key, and
// the others, which learn of that, have less to do. Where they divide the land, a node that holds
// the person's appends RecordsErased, also if it takes the land later; one that has given it up, or
// is taking it, is not clean as long as it has rows of it.
//
// Threads: one of its own does all of that; the port from any.
//
// Crash: before 1 nothing has happened, and the person or the operator asks again. After 1 the next
// begin() does the rest. Each step may be repeated.
class Eraser final : public PersonEraser {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    std::string refuses_because;  // empty: people can be erased
    ProjectionCells& access;
    ProjectionCells& registry;
    OwnerKeys* keys;                      // null if it refuses
    std::function<void()> forget_recent;  // of the log
    // Whether this node holds the land of that owner.
    std::function<bool(const std::string& owner)> holds;
    // Whether a live node, this one or another, holds it.
    std::function<bool(const std::string& owner)> is_held;
    // The other nodes that have not cleaned their files of that owner: those that may run, and
    // those that are dead, which do it at their next start.
    std::function<std::vector<std::string>(const std::string&owner)> unclean_nodes, dead_nodes;
    NodeUsage& usage;
    AccessLease* lease;  // null: no other node writes to the log
    const RowFaults& row_faults;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log_lines;
  };

  explicit Eraser(Parts parts) : parts_(std::move(parts)) {}
  ~Eraser() override { stop(); }

  // Finishes what was begun before, and takes orders. Once the projections follow the log.
  void begin();
  // Completes all that waits with kUnavailable.
  void stop();

  void erase(Order order, OnErased done) override;
  void wake() override;
  std::optional<Erasure> find(const std::string& user_id) const override;

 private:
  struct Task {
    Order order;
    OnErased done;  // empty: no caller waits
  };

  void run(const std::stop_token& stop);
  std::vector<Order> unfinished() const;  // none if the rows that tell cannot be read
  std::vector<Order> find_unfinished() const;
  // Whether this node holds records that were to be removed.
  bool has_records_of(const std::string& owner) const;
  // If `awaited`, it also waits for the other nodes. kUnavailable: rows cannot be read, or the
  // other nodes cannot be reached.
  Result<Erasure> try_once(const Order& order, bool awaited, const std::stop_token& stop);
  Result<Erasure> carry_out(const Order& order, bool awaited, const std::stop_token& stop);
  // Whether no node relies any more on what is outdated by now; false: they cannot be reached.
  std::future<bool> all_know() const;
  Status append(Commands& commands, const std::string& stream, const Order& order, Decide decide,
                const std::stop_token& stop);
  Status clean(const Order& order, const std::stop_token& stop);
  std::string left_by_dead(const std::string& owner) const;
  Status wait_for_others(const std::string& owner, const std::stop_token& stop);

  const Parts parts_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Task> tasks_;
  bool woken_ = false;
  bool stopped_ = false;
  std::jthread thread_;
};

}  // namespace tilth
