// A node of the service as operators see it, from the node that they ask.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "events/log/event_log.h"
#include "events/values/time.h"

namespace tilth {

// kLeft: it announced that it stops. kDead: no announcement of it has arrived for some seconds.
// kUnknown: the same, but this node does not read its own announcements back either.
enum class NodeState : std::uint8_t { kLive, kLeft, kDead, kUnknown };

constexpr auto labels(NodeState) { return named<NodeState>("live", "left", "dead", "unknown"); }

struct NodeStanding {
  std::string node = {};
  bool self = false;  // the node that is asked
  NodeState state = NodeState::kLive;
  bool ready = false;  // it has caught up once; with `stopped`, it is not
  std::string version = {};
  std::vector<std::string> roles = {};
  std::string address = {}, operator_address = {};  // of its API and of its operator API
  // If the nodes divide the partitions: where other nodes reach it, how many are to hold each, and
  // whether it gives away what it holds.
  std::string peer_address = {};
  int copies = 0;
  bool draining = false;
  // Whether the node that is asked is connected to it, and if not, why the last attempt failed.
  bool reached = true;
  std::string unreached_because = {};
  Timestamp started_at = {};
  Timestamp heard_at = {};  // by the clock of the node that is asked
  std::chrono::milliseconds silent_for = {};
  // Of the clock of the node that is asked; negative: behind. As exact as a message is fast.
  std::chrono::milliseconds clock_ahead = {};
  std::vector<Position> next = {};  // by partition that it holds, the first record it has not read
  std::vector<int> halted = {};     // of these, the partitions of which it follows not all
  std::vector<std::string> stopped = {};  // its projections that are paused, faulted or held up
  bool other_version = false;             // than the node that is asked
  bool clock_apart = false;               // too far
  bool id_shared = false;                 // by two processes that both run
  bool other_copies = false;              // its configuration has another number of copies, or none
  bool cut_off = false;  // the node that is asked does not read its own announcements back
};

// What an operator should know about the node, in sentences.
std::vector<std::string> warnings_about(const NodeStanding& node);

}  // namespace tilth
