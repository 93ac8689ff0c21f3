#include "infra/metrics/metrics.h"

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "infra/metrics/answer_counts.h"
#include "infra/metrics/footprint.h"

namespace tilth {
namespace {

const prometheus::Histogram::BucketBoundaries kRecords = {1,  2,   4,   8,   16,   32,
                                                          64, 128, 256, 512, 1'024};
const prometheus::Histogram::BucketBoundaries kSyncSeconds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1};

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                                 const prometheus::Histogram::BucketBoundaries& bounds) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

// Samples as families, ordered by name.
class CollectedSamples final : public Samples {
 public:
  void gauge(std::string_view name, std::string_view help, MetricLabels labels,
             double value) override {
    prometheus::ClientMetric sample;
    sample.gauge.value = value;
    add(prometheus::MetricType::Gauge, name, help, std::move(labels), std::move(sample));
  }
  void counter(std::string_view name, std::string_view help, MetricLabels labels,
               double value) override {
    prometheus::ClientMetric sample;
    sample.counter.value = value;
    add(prometheus::MetricType::Counter, name, help, std::move(labels), std::move(sample));
  }

  void move_to(std::vector<prometheus::MetricFamily>& families) {
    for (auto& [name, family] : families_) families.push_back(std::move(family));
  }

 private:
  void add(prometheus::MetricType type, std::string_view name, std::string_view help,
           MetricLabels labels, prometheus::ClientMetric sample) {
    for (auto& [label, value] : labels)
      sample.label.push_back({std::move(label), std::move(value)});
    auto& family = families_[std::string(name)];
    if (family.metric.empty()) {
      family.name = name;
      family.help = help;
      family.type = type;
    }
    family.metric.push_back(std::move(sample));
  }

  std::map<std::string, prometheus::MetricFamily> families_;
};

// Under the standard names of Prometheus's process metrics.
void report_footprint(Samples& to) {
  const auto found = footprint();
  if (!found) return;
  to.counter("process_cpu_seconds_total", "User and system CPU time spent.", {},
             found->cpu_seconds);
  to.gauge("process_start_time_seconds", "When the service was started, since 1970.", {},
           found->start_time_seconds);
  to.gauge("process_resident_memory_bytes", "Memory in use.", {}, found->resident_bytes);
  to.gauge("process_virtual_memory_bytes", "Address space in use.", {}, found->virtual_bytes);
  to.gauge("process_threads", "Threads.", {}, found->threads);
  to.gauge("process_open_fds", "Open file descriptors.", {}, found->open_files);
  to.gauge("process_max_fds", "File descriptors that may be open.", {}, found->most_files);
}

}  // namespace

struct Metrics::Parts {
  explicit Parts(std::string_view version)
      : answers(registry),
        protocol_errors(counters(registry, "tilth_http_protocol_errors_total",
                                 "What was not HTTP as we read it, by the answer's status.")),
        replays(counters(registry, "tilth_idempotent_replays_total",
                         "Requests whose Idempotency-Key had been answered before.")
                    .Add({})),
        appends(counters(registry, "tilth_log_appends_total", "Records given to the log.").Add({})),
        stale(counters(registry, "tilth_log_stale_appends_total",
                       "Records that the log would not take, since their stream had moved on.")
                  .Add({})),
        group(histogram(registry, "tilth_log_group_records",
                        "Records that the embedded log made durable together.", kRecords)),
        sync(histogram(registry, "tilth_log_sync_duration_seconds",
                       "How long the embedded log took to make a group durable.", kSyncSeconds)),
        produced(histogram(registry, "tilth_kafka_produce_duration_seconds",
                           "How long Kafka took to acknowledge a record.", kSyncSeconds)),
        unknown(counters(registry, "tilth_kafka_unknown_outcomes_total",
                         "Records of which Kafka did not say in time whether it has them.")
                    .Add({})),
        renewals(counters(registry, "tilth_kafka_client_renewals_total",
                          "Kafka clients that could not go on and were replaced.")
                     .Add({})) {
    auto& refusals = counters(registry, "tilth_rate_limited_requests_total",
                              "Requests answered 429, by whose limit was used up.");
    limited = {&refusals.Add({{"limit", "user"}}), &refusals.Add({{"limit", "key"}}),
               &refusals.Add({{"limit", "address"}})};
    auto& open = prometheus::BuildGauge()
                     .Name("tilth_http_connections")
                     .Help("Connections that are open.")
                     .Register(registry);
    connections = {&open.Add({{"listener", "api"}}), &open.Add({{"listener", "operator"}})};
    auto& closed = counters(registry, "tilth_http_evicted_connections_total",
                            "Connections closed in favor of new ones.");
    evicted = {&closed.Add({{"listener", "api"}}), &closed.Add({{"listener", "operator"}})};
    auto& refused = counters(registry, "tilth_http_turned_away_connections_total",
                             "Connections refused since there were too many.");
    turned_away = {&refused.Add({{"listener", "api"}}), &refused.Add({{"listener", "operator"}})};
    auto& slowed = counters(registry, "tilth_http_rests_total",
                            "Times that a connection had to wait since its client went on asking "
                            "after refusals.");
    rested = {&slowed.Add({{"listener", "api"}}), &slowed.Add({{"listener", "operator"}})};
    prometheus::BuildGauge()
        .Name("tilth_build_info")
        .Help("Which version runs; always 1.")
        .Register(registry)
        .Add({{"version", std::string(version)}})
        .Set(1);
  }

  prometheus::Registry registry;
  AnswerCounts answers;
  prometheus::Family<prometheus::Counter>& protocol_errors;
  prometheus::Counter& replays;
  prometheus::Counter& appends;
  prometheus::Counter& stale;
  prometheus::Histogram& group;
  prometheus::Histogram& sync;
  prometheus::Histogram& produced;
  prometheus::Counter& unknown;
  prometheus::Counter& renewals;
  std::array<prometheus::Counter*, 3> limited{};    // by RatedBy
  std::array<prometheus::Gauge*, 2> connections{};  // by Listener
  std::array<prometheus::Counter*, 2> evicted{}, turned_away{}, rested{};

  mutable std::mutex mutex;  // guards what follows
  std::deque<std::function<void(Samples&)>> sources;
};

Metrics::Metrics(std::string_view version) : parts_(std::make_unique<Parts>(version)) {}
Metrics::~Metrics() = default;

void Metrics::answered(const Answered& answer) {
  parts_->answers.count(answer.method, answer.route, answer.status, answer.took);
  if (answer.refused_by) {
    parts_->limited.at(static_cast<std::size_t>(*answer.refused_by))->Increment();
  }
  if (answer.replayed) parts_->replays.Increment();
}

void Metrics::connections(Listener listener, std::int64_t open) {
  parts_->connections.at(static_cast<std::size_t>(listener))->Set(static_cast<double>(open));
}

void Metrics::evicted(Listener listener) {
  parts_->evicted.at(static_cast<std::size_t>(listener))->Increment();
}

void Metrics::turned_away(Listener listener) {
  parts_->turned_away.at(static_cast<std::size_t>(listener))->Increment();
}

void Metrics::rested(Listener listener) {
  parts_->rested.at(static_cast<std::size_t>(listener))->Increment();
}

void Metrics::protocol_error(int status) {
  parts_->protocol_errors.Add({{"status", std::to_string(status)}}).Increment();
}

void Metrics::appended(bool stale) { (stale ? parts_->stale : parts_->appends).Increment(); }

void Metrics::group_synced(std::size_t records, std::chrono::nanoseconds took) {
  parts_->group.Observe(static_cast<double>(records));
  parts_->sync.Observe(std::chrono::duration<double>(took).count());
}

void Metrics::produced(std::chrono::nanoseconds took) {
  parts_->produced.Observe(std::chrono::duration<double>(took).count());
}

void Metrics::produce_unknown() { parts_->unknown.Increment(); }

void Metrics::kafka_client_renewed() { parts_->renewals.Increment(); }

void Metrics::add_source(std::function<void(Samples&)> source) {
  const std::lock_guard lock(parts_->mutex);
  parts_->sources.push_back(std::move(source));
}

void Metrics::add_gauge(std::string name, std::string help, MetricLabels labels,
                        std::function<double()> value) {
  add_source([name = std::move(name), help = std::move(help), labels = std::move(labels),
              value = std::move(value)](Samples& to) { to.gauge(name, help, labels, value()); });
}

std::string Metrics::text() const {
  std::deque<std::function<void(Samples&)>> sources;
  {
    const std::lock_guard lock(parts_->mutex);
    sources = parts_->sources;
  }
  CollectedSamples samples;
  for (const auto& source : sources) source(samples);
  report_footprint(samples);
  auto families = parts_->registry.Collect();
  samples.move_to(families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tilth
