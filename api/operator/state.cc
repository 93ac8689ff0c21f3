// How the service is: alive, ready, where its projections stand, and its metrics.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "api/operator/commands.h"

namespace tilth {
namespace {

// The ends of the log, collected from the log's own thread.
struct Ends {
  std::mutex mutex;
  std::map<int, std::optional<std::int64_t>> by_partition;  // null: the log does not say
  std::size_t missing = 0;
};

void ask_ends(EventLog& log, std::function<void(const Ends&)> done) {
  auto ends = std::make_shared<Ends>();
  ends->missing = static_cast<std::size_t>(log.partitions());
  for (int partition = 0; partition < log.partitions(); ++partition) {
    log.end(partition, [ends, partition, done](const Result<std::int64_t>& end) {
      bool last = false;
      {
        const std::lock_guard lock(ends->mutex);
        ends->by_partition[partition] = end ? std::optional(*end) : std::nullopt;
        last = --ends->missing == 0;
      }
      if (last) done(*ends);
    });
  }
}

std::int64_t lag_of(const ProjectionProgress& progress, const Ends& ends) {
  std::int64_t lag = 0;
  for (const auto& [partition, offset] : progress.next) {
    const auto end = ends.by_partition.find(partition);
    if (end != ends.by_partition.end() && end->second) {
      lag += std::max<std::int64_t>(0, *end->second - offset);
    }
  }
  return lag;
}

void append_member(std::string& json, std::string_view name, const auto& value) {
  if (json.back() != '{') json.push_back(',');
  json.append(1, '"').append(name).append("\":");
  JsonWriter::write(value, json);
}

std::string partition_json(int partition, std::string_view name, std::int64_t offset) {
  std::string json = "{";
  append_member(json, "partition", partition);
  append_member(json, name, offset);
  return json + "}";
}

std::string projection_json(const OperatorParts& parts, const ShownProjection& projection,
                            const Ends& ends) {
  const auto progress = projection.projector->progress();
  const auto lag = lag_of(progress, ends);
  const auto now = Pace::Steady::now();
  const double rate = progress.pace.per_second(now);
  const double behind =
      lag > 0 ? progress.pace.seconds_behind(now, progress.last_time, parts.clock.now()) : 0;
  std::string json = "{";
  append_member(json, "name", projection.name);
  append_member(json, "generation", projection.generation);
  append_member(json, "state", progress.state);
  append_member(json, "reason",
                progress.reason.empty() ? std::nullopt : std::optional(progress.reason));
  json.append(",\"positions\":[");
  for (const auto& [partition, offset] : progress.next) {
    if (json.back() != '[') json.push_back(',');
    json.append(partition_json(partition, "offset", offset));
  }
  json.push_back(']');
  append_member(json, "lagEvents", lag);
  append_member(json, "lagSeconds", behind);
  append_member(json, "eventsPerSecond", rate);
  append_member(
      json, "etaSeconds",
      lag > 0 && rate > 0 ? std::optional(static_cast<double>(lag) / rate) : std::nullopt);
  return json + ",\"building\":null}";
}

std::string status_json(const OperatorParts& parts, const Ends& ends) {
  std::string json = "{\"data\":{";
  append_member(json, "node", parts.node);
  append_member(json, "version", parts.version);
  std::vector<std::string> roles;
  for (std::string_view rest = parts.roles; !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    roles.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  append_member(json, "roles", roles);
  json.append(",\"log\":{");
  append_member(json, "kind", parts.log_kind);
  json.append(",\"partitions\":[");
  for (const auto& [partition, end] : ends.by_partition) {
    if (json.back() != '[') json.push_back(',');
    json.push_back('{');
    append_member(json, "partition", partition);
    append_member(json, "first", 0);
    append_member(json, "end", end);
    json.push_back('}');
  }
  json.append("]},\"projections\":[");
  for (const auto& projection : parts.projections) {
    if (json.back() != '[') json.push_back(',');
    json.append(projection_json(parts, projection, ends));
  }
  return json + "]}}";
}

void status(const OperatorParts& parts, const OperatorCall& call) {
  ask_ends(parts.log, [&parts, exchange = call.exchange](const Ends& ends) {
    exchange->answer(answer_json(200, status_json(parts, ends)));
  });
}

// Ready, and what is missing if not: each projection with its reason, and the log.
void readyz(const OperatorParts& parts, const OperatorCall& call) {
  ask_ends(parts.log, [&parts, exchange = call.exchange](const Ends& ends) {
    bool ready = parts.ready();
    const bool log = std::all_of(ends.by_partition.begin(), ends.by_partition.end(),
                                 [](const auto& end) { return end.second.has_value(); });
    std::string json = "{\"data\":{\"projections\":[";
    for (const auto& projection : parts.projections) {
      const auto progress = projection.projector->progress();
      ready = ready && progress.state != ProjectionState::kFaulted &&
              progress.state != ProjectionState::kPaused;
      if (json.back() != '[') json.push_back(',');
      json.push_back('{');
      append_member(json, "name", projection.name);
      append_member(json, "state", progress.state);
      append_member(json, "reason",
                    progress.reason.empty() ? std::nullopt : std::optional(progress.reason));
      append_member(json, "lagEvents", lag_of(progress, ends));
      json.push_back('}');
    }
    json.append("],\"log\":").append(log ? "\"available\"" : "\"unavailable\"");
    ready = ready && log;
    append_member(json, "ready", ready);
    exchange->answer(answer_json(ready ? 200 : 503, json + "}}"));
  });
}

void healthz(const OperatorParts&, const OperatorCall& call) {
  call.exchange->answer(HttpResponse{200, {{"Content-Type", "text/plain"}}, "ok"});
}

void metrics(const OperatorParts& parts, const OperatorCall& call) {
  call.exchange->answer(
      HttpResponse{200, {{"Content-Type", "text/plain; version=0.0.4"}}, parts.metrics()});
}

}  // namespace

std::vector<OperatorRoute> operator_state_routes() {
  return {
      {"GET", "/healthz", "Whether the process lives", true, healthz},
      {"GET", "/readyz", "Whether it can serve", true, readyz},
      {"GET", "/metrics", "For Prometheus", true, metrics},
      {"GET", "/operator/v1/status", "Where everything stands", false, status},
  };
}

}  // namespace tilth
