// The service's state: liveness, readiness, the projections' positions, and metrics.

#include <algorithm>
#include <chrono>
#include <thread>

#include "api/operator/commands.h"
#include "api/operator/log_check_state.h"
#include "api/operator/member_json.h"
#include "api/operator/nodes_json.h"
#include "api/operator/projection_state.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

bool is_ready(const OperatorParts& parts, const LogEnds& ends) {
  return parts.ready() && !ends.trouble &&
         std::ranges::all_of(parts.projections, [](const auto* projection) {
           return tilth::is_ready(projection->standing().progress);
         });
}

std::string status_json(const OperatorParts& parts, const LogEnds& ends) {
  std::string json = "{\"data\":{";
  append_member(json, "node", parts.node);
  append_member(json, "version", parts.version);
  append_member(json, "roles", parts.roles);
  append_member(json, "ready", is_ready(parts, ends));
  append_member(json, "waitsFor", parts.waits_for());
  json.append(",\"log\":{");
  append_member(json, "kind", parts.log_kind);
  append_member(json, "reason", ends.trouble);
  if (parts.alone) {
    append_member(json, "topic", parts.topic);
    append_member(json, "brokers", parts.brokers);
    append_member(json, "otherNodes", !parts.alone());
  }
  json.append(",\"partitions\":[");
  for (const auto& [partition, end] : ends.by_partition) {
    if (json.back() != '[') json.push_back(',');
    json.push_back('{');
    append_member(json, "partition", partition);
    append_member(json, "first", 0);
    append_member(json, "end", end);
    json.push_back('}');
  }
  json.append("],\"check\":");
  json.append(parts.log_check == nullptr ? "null" : log_check_json(parts.log_check->standing()));
  json.append("},\"projections\":[");
  for (const auto* projection : parts.projections) {
    if (json.back() != '[') json.push_back(',');
    json.append(projection_json(*projection, ends, parts.clock.now()));
  }
  return json + "],\"nodes\":" + nodes_json(parts.nodes(), ends) + "}}";
}

// Whether a running projection has not read everything yet.
bool reads_on(const OperatorParts& parts, const LogEnds& ends) {
  return std::any_of(parts.projections.begin(), parts.projections.end(), [&](auto* projection) {
    const auto progress = projection->standing().progress;
    return progress.state == ProjectionState::kRunning && !ends.reached_at(progress.next);
  });
}

// Gives projections a moment to read what was just acknowledged: one that no request waits for
// lingers for a larger batch. Remaining lag means a problem.
void status(const OperatorParts& parts, const Call& call) {
  const auto when_known = [&parts, exchange = call.exchange](const LogEnds& ends) {
    const auto answer = [&parts, exchange, ends] {
      const auto until = std::chrono::steady_clock::now() + 200ms;
      while (reads_on(parts, ends) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(1ms);
      }
      exchange->answer(json_response(200, status_json(parts, ends)));
    };
    if (reads_on(parts, ends) && parts.streams->run(kMostStreams, answer)) return;
    exchange->answer(json_response(200, status_json(parts, ends)));
  };
  ask_ends(parts.log, when_known, parts.streams->hold());
}

void list_nodes(const OperatorParts& parts, const Call& call) {
  const auto answer = [&parts, exchange = call.exchange](const LogEnds& ends) {
    exchange->answer(json_response(200, "{\"data\":" + nodes_json(parts.nodes(), ends) + "}"));
  };
  ask_ends(parts.log, answer, parts.streams->hold());
}

// It has begun to give away what it holds; the list of nodes tells when it is done.
void drain_node(const OperatorParts& parts, const Call& call) {
  if (!parts.drain) {
    return call.answer(Error{ErrorCode::kConflict,
                             "Every node holds everything (cluster.copies is 0): none has anything "
                             "to give away, and each may be stopped."});
  }
  parts.drain(call.id("node"), [exchange = call.exchange](const Status& drains) {
    if (!drains) return exchange->answer(drains.error());
    exchange->answer(HttpResponse{204});
  });
}

// Readiness, and what is missing: each projection with its reason, and the log.
void readyz(const OperatorParts& parts, const Call& call) {
  const auto answer = [&parts, exchange = call.exchange](const LogEnds& ends) {
    const bool ready = is_ready(parts, ends);
    std::string json = "{\"data\":{\"projections\":[";
    for (const auto* projection : parts.projections) {
      if (json.back() != '[') json.push_back(',');
      json.append(readiness_json(*projection, ends));
    }
    json.append("],\"log\":").append(ends.trouble ? "\"unavailable\"" : "\"available\"");
    append_member(json, "logReason", ends.trouble);
    append_member(json, "waitsFor", parts.waits_for());
    append_member(json, "ready", ready);
    exchange->answer(json_response(ready ? 200 : 503, json + "}}"));
  };
  ask_ends(parts.log, answer, parts.streams->hold());
}

void addresses(const OperatorParts& parts, const Call& call) {
  std::string json = "{\"data\":{";
  append_member(json, "listen", parts.listen());
  append_member(json, "operatorListen", parts.operator_listen());
  call.answer(json_response(200, json + "}}"));
}

void healthz(const OperatorParts&, const Call& call) {
  call.answer(HttpResponse{200, {{"Content-Type", "text/plain"}}, "ok"});
}

void metrics(const OperatorParts& parts, const Call& call) {
  call.answer(HttpResponse{200, {{"Content-Type", "text/plain; version=0.0.4"}}, parts.metrics()});
}

}  // namespace

std::vector<OperatorRoute> operator_state_routes() {
  return {
      open_route("GET", "/healthz", "Whether the process lives", healthz),
      open_route("GET", "/readyz", "Whether it can serve", readyz),
      open_route("GET", "/metrics", "For Prometheus", metrics),
      operator_route("GET", "/operator/v1/status", "Where everything stands", status),
      operator_route("GET", "/operator/v1/nodes", "All nodes that serve the log", list_nodes),
      operator_route("POST", "/operator/v1/nodes/{node}/drain", "Have a node give away its part",
                     drain_node),
      operator_route("GET", "/operator/v1/addresses",
                     "The addresses at which it listens, as in the ready file", addresses),
  };
}

}  // namespace tilth
