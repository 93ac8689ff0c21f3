// A log in a simulated world, and the clients through which nodes reach it.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "tests/simulation/simulated_topic.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class LogOnDisk;

// One node's client. Everything that it tells arrives later, late or never; what it does not tell
// may have been done.
class SimulatedLog final : public EventLog {
 public:
  SimulatedLog(World& world, SimulatedTopic& topic);
  ~SimulatedLog() override;

  // From now on, the real embedded log stores what is appended. For a log of kind kOwn. Archived:
  // archive() and losses of power move its beginning to files now and then. Sealed: erase()
  // destroys keys.
  void keep_on_disk(bool is_archived, bool is_sealed);
  void archive();
  void erase(const std::set<std::string>& owners);
  bool is_on_disk() const { return on_disk_ != nullptr; }

  // As EmbeddedEventLog::only(), if it is on disk; else for readers that want all.
  std::unique_ptr<EventLog> only(std::function<bool(std::string_view stream)> wanted);

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return read(from, {});
  }
  void end(int partition, OnEnd done) override;
  int partitions() const override { return topic_.partitions(); }
  // As the embedded log says.
  int virtual_partitions() const override {
    return topic_.kind() == SimulatedTopic::Kind::kOwn ? 12 : topic_.partitions();
  }
  bool is_sequential() const override;

  // The node's machine has lost power: what was not synced is stored in part, from the first on.
  void lose_power();
  // Nothing arrives until it is reachable again.
  void set_reachable(bool reachable) { reachable_ = reachable; }
  bool is_reachable() const { return reachable_; }
  // Whether it asks a leader that was replaced and does not know it: that one tells of nothing
  // newer, and takes nothing.
  void follow_stale_leader(bool stale);
  // The broker with that partition shows nothing new until then.
  void slow_down(int partition, World::Steady::time_point until);
  // From now on it reads records without their predecessors. For a planted bug.
  void miss_predecessors() { misses_predecessors_ = true; }

 private:
  class Reader;
  class DiskReader;
  class Part;
  struct Unsynced {
    Record record;
    OnAppended done;
  };

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from,
                                          std::function<bool(std::string_view stream)> wanted);
  std::int64_t visible_end(int partition) const;
  bool is_slow(int partition) const;
  void send(Record record, OnAppended done);
  void lose(Record record, const OnAppended& done);
  void arrive(Record record, const OnAppended& done);
  std::string last_id(const std::string& stream) const;
  void sync();
  void read_back();
  void tell(const OnAppended& done, Result<Position> result);
  World::Micros delay();

  World& world_;
  SimulatedTopic& topic_;
  bool reachable_ = true;
  std::vector<std::int64_t> stale_ends_;  // by partition, of a stale leader; empty: it has none
  std::map<int, World::Steady::time_point> slow_until_;  // by partition
  bool misses_predecessors_ = false;
  VersionGate gate_;  // of a log of its own: of what is stored and what is to be
  std::deque<Unsynced> unsynced_;
  bool sync_begun_ = false, sync_is_lost_ = false;
  std::set<std::string> sent_;  // ids
  std::unique_ptr<LogOnDisk> on_disk_;
};

}  // namespace tilth::testing
