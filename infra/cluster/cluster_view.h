// Which nodes live, as one of them concludes from what it hears.

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

// Silence is measured by the steady clock of the node that listens, never by what others say the
// time is. It proves nothing while this node does not hear its own announcements: then its brokers
// or its own process stood still.
//
// A process that starts again has the node's id and a run of its own, which replaces the former
// run. If a run that was replaced is heard again, two processes have one id. So they have if this
// node hears its own id from another run.
//
// Threads: one at a time.
class ClusterView {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kSilence{3'000};      // then a node is dead
  static constexpr std::chrono::milliseconds kFreshness{2'000};    // of what this node has heard
  static constexpr std::chrono::milliseconds kClocksApart{2'000};  // and more are too much
  static constexpr std::chrono::minutes kRemembered{10};           // after a node was last heard

  // `own` is the run of the node that listens, from `now` on.
  ClusterView(std::string own, Steady::time_point now) : own_(std::move(own)), heard_all_of_(now) {}

  // It was read at `now`, when this node's clock said `time`.
  void hear(const Announcement& said, Steady::time_point now, Timestamp time);

  // This node's own announcement, which it sent at `sent`, has come back: it has heard all that
  // others had said by then.
  void confirm(Steady::time_point sent) {
    heard_all_of_ = sent;
    if (!hears_since_) hears_since_ = sent;
  }

  // Whether it has ever heard its own announcements.
  bool has_heard_itself() const { return hears_since_.has_value(); }

  // Whether it has listened for so long that it has heard each node that lives.
  bool has_heard_all(Steady::time_point now) const {
    return fresh(now) && hears_since_ && now >= *hears_since_ + kSilence;
  }

  // Whether it hears its own announcements.
  bool fresh(Steady::time_point now) const { return now < heard_all_of_ + kFreshness; }

  // This node, as `self` says, then the others by id. Those that were last heard too long ago are
  // left out.
  std::vector<NodeStanding> standing(const Announcement& self, Steady::time_point now) const;

 private:
  struct Run {
    Announcement last;
    Steady::time_point heard;
    Timestamp heard_at;
    // How far its clock was ahead in its last announcements: each was late by some hop, so that
    // the largest is the nearest to the truth.
    std::deque<std::chrono::milliseconds> ahead;
    bool replaced = false;  // by a later run of its node
  };

  static bool speaks(const Run& run, Steady::time_point now) {
    return !run.replaced && !run.last.left && now < run.heard + kSilence;
  }
  bool shares_id(const std::string& node, const std::string& run, Steady::time_point now) const;

  const std::string own_;
  std::map<std::string, Run> runs_;  // of the others
  Steady::time_point heard_all_of_;
  std::optional<Steady::time_point> hears_since_;  // itself
};

}  // namespace tilth
