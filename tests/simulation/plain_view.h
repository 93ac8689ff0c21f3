// Who lives, as a node should conclude from what it says and hears, said again without the code
// that this judges.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infra/cluster/membership.h"
#include "tests/fixtures/passing_log.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// What the nodes of a cluster have announced, by the id of its record.
struct AnnouncedByNodes {
  struct Announced {
    std::uint64_t run;
    Announcement what;
  };
  std::map<std::string, Announced> by_id = {};
  std::uint64_t runs = 0;  // so far
};

// Stands between one run of a node and the log of announcements.
class PlainView final : public PassingLog {
 public:
  struct Parts {
    World& world;
    EventLog& log;
    const SimulatedTopic& topic;  // of that log
    AnnouncedByNodes& announced;
    std::string node;
    std::function<Announcement()> self;  // what it should announce now
  };

  explicit PlainView(Parts parts);

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override;

  // The node is to announce itself in its next turn.
  void ask_soon() { is_asked_ = true; }
  // Whether the last thing that it has announced is that it leaves.
  bool has_said_that_it_leaves() const;
  // Right after a turn: it has announced itself in time, and concludes what follows from what it
  // has read.
  void judge(const Membership& membership) const;

 private:
  using Steady = World::Steady;
  class Reader;
  // Of another run.
  struct Heard {
    Announcement last = {};
    Steady::time_point at = {};
    std::uint64_t first_in_order = 0, last_in_order = 0;
  };

  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override;
  void hear(const Record& record);
  bool is_due() const;
  bool is_fresh() const;
  bool is_replaced(const Heard& heard) const;
  std::string expected() const;

  const Parts parts_;
  const std::uint64_t run_;
  const Steady::time_point begun_;
  const std::int64_t begins_at_;
  bool reads_ = false, is_asked_ = false;
  // Outlives this, for an append in flight.
  const std::shared_ptr<bool> appends_ = std::make_shared<bool>(false);
  std::string newest_;                      // id of its last announcement
  std::optional<Steady::time_point> sent_;  // when that was
  // When those were sent of its own that it has heard: the first and the last.
  std::optional<Steady::time_point> first_own_, last_own_;
  bool said_ready_ = false;               // in the last one
  std::map<std::uint64_t, Heard> heard_;  // by run
  std::uint64_t heard_so_far_ = 0;
};

}  // namespace tilth::testing
