// Announces that this node lives, and reads the announcements of the others.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/operator/node_standing.h"
#include "events/log/event_log.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "infra/cluster/cluster_view.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Operation: appends an announcement every second to a log of its own, `tilth.nodes`, one at a
// time, and reads those of all nodes from where that log ended at the start. Nothing is decided by
// it: a wrong or late view of the cluster costs a hop or a 503, never a wrong answer. A record that
// cannot be read is counted and passed over.
//
// Threads: turn() and leave() from one, as MembershipThread does; all else from any.
//
// Crash: nothing is kept. The others see this node as dead after ClusterView::kSilence.
class Membership {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBeat{1'000};

  struct Parts {
    EventLog& log;  // of the nodes; outlives it
    const Clock& clock;
    const IdSource& ids;
    LogLines& log_lines;
    // What this node is now. Membership adds its run and its clock.
    std::function<Announcement()> self;
    std::function<Steady::time_point()> steady = Steady::now;
  };

  explicit Membership(Parts parts);

  // Reads on, after waiting up to `timeout` for a record, and announces this node if it is time.
  // Until it knows where the log ends, it does neither, and waits up to `timeout` for that.
  //
  //   EventLog::end()'s and read()'s, LogReader::next()'s  the log cannot be read now: retry after
  //                                                        a while. Logged once.
  Status turn(std::chrono::milliseconds timeout);

  // Announces that this node leaves, once its last announcement has ended, and waits up to
  // `timeout` for that, and again for the last announcement. Returns whether that one has ended,
  // whatever its outcome; otherwise it may be called again. There is no turn after it: standing()
  // remains as it was read last.
  bool leave(std::chrono::milliseconds timeout);

  // This node, then the others by id.
  std::vector<NodeStanding> standing() const { return standing(self()); }
  // The same, with this node as it last announced itself. It is cheap.
  std::vector<NodeStanding> nodes() const { return standing(last_announcement()); }

  // Whether it reads its own announcements back.
  bool is_current() const;

  // Whether it has read for so long that it knows each node that lives; right after its start it
  // does not.
  bool knows_all() const;

  // Announces this node now, and not at the next beat.
  void announce_soon() { hurries_ = true; }

  // Whether it has read back that it is ready, as the others do then.
  bool has_announced_ready() const { return has_announced_ready_; }

  // Of all nodes, without those that cannot be read.
  std::uint64_t announcements_read() const { return announcements_read_; }

  std::uint64_t unreadable() const { return unreadable_; }

  void report(Samples& to) const;  // metrics

 private:
  // Outlives this, for calls of the log in flight.
  struct Calls {
    std::mutex mutex;
    std::condition_variable ended;
    bool asks_end = false;                         // used by the thread of turn() alone
    std::optional<Result<std::int64_t>> end = {};  // as the log returned it
    bool appends = false;
    std::string id = {};  // of the newest announcement
    Steady::time_point sent = {};
  };

  Status read_on(std::chrono::milliseconds timeout);
  Status begin_to_read(std::chrono::milliseconds timeout);
  std::optional<Result<std::int64_t>> ask_end(std::chrono::milliseconds timeout);
  void update(const Record& record);
  void announce();
  bool send(const Announcement& announcement);
  bool wait_for_append(std::chrono::milliseconds timeout);
  Announcement self() const;
  Announcement last_announcement() const;
  void set_last_announcement(Announcement announcement);
  std::vector<NodeStanding> standing(const Announcement& own) const;
  void log_changes();
  void log_change(const NodeStanding* before, const NodeStanding& node) const;

  const Parts parts_;
  const std::string run_;
  const std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  std::atomic<std::uint64_t> announcements_read_ = 0, unreadable_ = 0;
  std::atomic<bool> has_announced_ready_ = false;

  std::atomic<bool> hurries_ = false;

  mutable std::mutex mutex_;  // guards the view
  ClusterView view_;
  Announcement
      last_announcement_;  // last; finding out again what this node is asks all projections

  // Used only by the thread of turn().
  std::unique_ptr<LogReader> reader_;
  Steady::time_point next_beat_ = parts_.steady();
  std::map<std::string, NodeStanding> logged_;  // as the log lines have it
  std::string trouble_;                         // why the log cannot be read, likewise
  bool has_begun_ = false, leaves_ = false;
};

}  // namespace tilth
