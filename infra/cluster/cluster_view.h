// Which nodes live, as one of them concludes from the announcements that it reads.

#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/operator/node_standing.h"
#include "infra/cluster/announcement.h"

namespace tilth {

// Silence is measured by the steady clock of the node that reads, never by the time in an
// announcement. It proves nothing while this node does not read its own announcements back: then
// its brokers or its own process stood still.
//
// A process that starts again has the node's id and a run of its own, which replaces the former
// run. If a run that was replaced announces itself again, two processes have one id. So they have
// if another run announces this node's id.
//
// Threads: one at a time.
class ClusterView {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kSilence{3'000};      // then a node is dead
  static constexpr std::chrono::milliseconds kFreshness{2'000};    // of what this node has read
  static constexpr std::chrono::milliseconds kClocksApart{2'000};  // and more are too much
  static constexpr std::chrono::minutes kRemembered{10};  // after a node's last announcement

  // `own` is the run of the node that reads, from `now` on.
  ClusterView(std::string own, Steady::time_point now)
      : own_(std::move(own)), current_as_of_(now) {}

  // It was read at `now`, when this node's clock said `time`.
  void update(const Announcement& announcement, Steady::time_point now, Timestamp time);

  // This node's own announcement, which it sent at `sent`, has come back: it has read all that
  // others had announced by then.
  void confirm(Steady::time_point sent) {
    current_as_of_ = sent;
    if (!current_since_) current_since_ = sent;
  }

  // Whether it has ever read its own announcements back.
  bool has_read_itself() const { return current_since_.has_value(); }

  // Whether it has read for so long that it knows each node that lives.
  bool knows_all(Steady::time_point now) const {
    return fresh(now) && current_since_ && now >= *current_since_ + kSilence;
  }

  // Whether it reads its own announcements back.
  bool fresh(Steady::time_point now) const { return now < current_as_of_ + kFreshness; }

  // This node, as `self` says, then the others by id. Those whose last announcement is too old are
  // left out.
  std::vector<NodeStanding> standing(const Announcement& self, Steady::time_point now) const;

 private:
  struct Run {
    Announcement last;
    Steady::time_point received;
    Timestamp heard_at;
    // How far its clock was ahead in its last announcements: each was late by some hop, so that
    // the largest is the nearest to the truth.
    std::deque<std::chrono::milliseconds> ahead;
    bool replaced = false;  // by a later run of its node
  };

  static bool speaks(const Run& run, Steady::time_point now) {
    return !run.replaced && !run.last.left && now < run.received + kSilence;
  }
  bool shares_id(const std::string& node, const std::string& run, Steady::time_point now) const;

  const std::string own_;
  std::map<std::string, Run> runs_;  // of the others
  Steady::time_point current_as_of_;
  std::optional<Steady::time_point> current_since_;  // itself
};

}  // namespace tilth
