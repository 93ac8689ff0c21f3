#include "api/operator/nodes_json.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "api/operator/member_json.h"

namespace tilth {
namespace {

double in_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// Null if the log does not tell the end of a partition that the node holds.
std::optional<std::int64_t> lag_in_held(const std::vector<Position>& next, const LogEnds& ends) {
  const bool known = std::all_of(next.begin(), next.end(), [&](const Position& held) {
    const auto end = ends.by_partition.find(held.partition);
    return end != ends.by_partition.end() && end->second;
  });
  return known ? std::optional(ends.lag_among(next)) : std::nullopt;
}

std::string node_json(const NodeStanding& node, const LogEnds& ends) {
  std::string json = "{";
  append_member(json, "node", node.node);
  append_member(json, "self", node.self);
  append_member(json, "state", node.state);
  append_member(json, "ready", node.ready && node.stopped.empty());
  append_member(json, "stopped", node.stopped);
  append_member(json, "draining", node.draining);
  append_member(json, "version", node.version);
  append_member(json, "roles", node.roles);
  append_member(json, "address", node.address);
  append_member(json, "operatorAddress", node.operator_address);
  append_member(json, "startedAt", node.started_at);
  append_member(json, "heardAt", node.heard_at);
  append_member(json, "silentSeconds", in_seconds(node.silent_for));
  append_member(json, "clockAheadSeconds", in_seconds(node.clock_ahead));
  json.append(",\"partitions\":[");
  for (const auto& [partition, next] : node.next) {
    if (json.back() != '[') json.push_back(',');
    json.push_back('{');
    append_member(json, "partition", partition);
    append_member(json, "next", next);
    json.push_back('}');
  }
  json.push_back(']');
  append_member(json, "lagEvents", lag_in_held(node.next, ends));
  append_member(json, "warnings", warnings_about(node));
  return json + "}";
}

}  // namespace

std::string nodes_json(const std::vector<NodeStanding>& nodes, const LogEnds& ends) {
  std::string json = "[";
  for (const auto& node : nodes) {
    if (json.size() > 1) json.push_back(',');
    json.append(node_json(node, ends));
  }
  return json + "]";
}

}  // namespace tilth
