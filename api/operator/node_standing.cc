#include "api/operator/node_standing.h"

#include <cstdio>

namespace tilth {
namespace {

std::string seconds(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", std::chrono::duration<double>(time).count());
  return text;
}

}  // namespace

std::vector<std::string> warnings_about(const NodeStanding& node) {
  std::vector<std::string> all;
  if (node.cut_off) {
    all.emplace_back(
        "This node's own announcements do not come back from Kafka, so it does not know which "
        "nodes are live.");
  }
  if (node.id_shared) {
    all.emplace_back(
        "Two running processes have this id: give one of them a data directory that "
        "is not a copy.");
  }
  if (node.clock_apart) {
    const bool ahead = node.clock_ahead.count() > 0;
    all.push_back("Its clock is " + seconds(ahead ? node.clock_ahead : -node.clock_ahead) + " s " +
                  (ahead ? "ahead." : "behind."));
  }
  if (node.other_copies) {
    all.push_back("Its cluster.copies is " + std::to_string(node.copies) +
                  ": give all nodes the same one.");
  }
  if (!node.stopped.empty() && node.state == NodeState::kLive) {
    std::string names;
    for (const auto& name : node.stopped) names += (names.empty() ? "" : ", ") + name;
    all.push_back("It is not ready: of its projections, these do not go on: " + names + ".");
  }
  if (!node.unreached_because.empty()) all.push_back(node.unreached_because);
  if (node.draining && node.state == NodeState::kLive) {
    all.emplace_back(node.next.empty() ? "It has given away all that it held, and may be stopped."
                                       : "It gives away what it holds.");
  }
  if (node.other_version) all.push_back("It runs another version, " + node.version + ".");
  return all;
}

}  // namespace tilth
