#include "app/node/service.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <tuple>
#include <utility>

#include "api/operator/audit_trail.h"
#include "api/operator/operator_roles.h"
#include "app/node/client_memory.h"
#include "app/node/clock_loop.h"
#include "app/node/eraser.h"
#include "app/node/history_service.h"
#include "app/node/http_listener.h"
#include "app/node/last_backup.h"
#include "app/node/log_check.h"
#include "app/node/node_archive.h"
#include "app/node/node_backup.h"
#include "app/node/node_cluster.h"
#include "app/node/node_logs.h"
#include "app/node/node_projections.h"
#include "app/node/node_usage.h"
#include "app/node/node_webhooks.h"
#include "app/node/node_work.h"
#include "app/node/operator_surface.h"
#include "app/node/overview_figures.h"
#include "app/node/port_options.h"
#include "app/node/public_surface.h"
#include "app/node/rate_fetcher.h"
#include "app/node/shipped_library.h"
#include "app/node/trend_recorder.h"
#include "command/work/due_rules.h"
#include "events/log/log_end.h"
#include "infra/config/settings.h"
#include "infra/embedded/archive_cache.h"
#include "infra/metrics/disk_space.h"
#include "infra/metrics/heap.h"
#include "infra/metrics/metrics.h"
#include "infra/metrics/service_watch.h"
#include "infra/node/data_directory.h"
#include "infra/node/overrides_file.h"
#include "infra/system/clock.h"
#include "infra/system/password.h"
#include "infra/system/random.h"
#include "infra/traces/span_exporter.h"
#include "infra/traces/tracer.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCacheBytes = 32 << 20, kWriteBytes = 24 << 20;
constexpr std::size_t kOperatorBody = 256 << 20;

// What an operator has done is a line of its own: it stays where the audit trail cannot be written.
void log_operator_request(const AuditRecorded& entry, std::string_view not_stored,
                          LogLines& log_lines) {
  LogLines::Fields fields{{"operator", entry.operator_name}, {"action", entry.action},
                          {"method", entry.method},          {"target", entry.target},
                          {"status", entry.status},          {"address", entry.address},
                          {"requestId", entry.request_id}};
  if (not_stored.empty()) return log_lines.info("An operator's request was answered.", fields);
  fields.emplace_back("reason", not_stored);
  log_lines.warn("An operator's request is not in the audit trail yet.", fields);
}

// A machine of two processors has as much to do for its clients as for the rows.
int cells_of(const Config& config) {
  if (config.cells > 0) return static_cast<int>(config.cells);
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  return processors > 2 ? processors : 1;
}

// Each moves from node to node as a whole: so many that they can be spread evenly, and so few that
// a node can give each of its own threads.
constexpr int kMostSharedCells = 64;

NodeProjections::Division division_of(const Config& config, const EventLog& log) {
  if (config.cluster.copies == 0) return {cells_of(config)};
  return {std::min(log.partitions(), kMostSharedCells), true};
}

// While it exists, fetches of archived files end when that is asked for: a start may wait for one.
class EndOfFetches {
 public:
  EndOfFetches(std::shared_ptr<ArchiveCache> cache, const std::function<bool()>& asked)
      : cache_(std::move(cache)) {
    if (cache_) cache_->end_when(asked);
  }
  EndOfFetches(const EndOfFetches&) = delete;
  EndOfFetches& operator=(const EndOfFetches&) = delete;
  ~EndOfFetches() {
    if (cache_) cache_->end_when({});
  }

 private:
  const std::shared_ptr<ArchiveCache> cache_;
};

// What a request adds to what is stored: its event, and the row that a retry would get.
std::size_t bytes_of(const Record& record, const RowBytes* row) {
  const bool is_kept = row != nullptr && record.envelope.idempotency.has_value();
  return record.json.size() + (is_kept ? row->bytes.size() : 0);
}

// While it starts.
Status wait_until(const std::function<bool()>& holds, const std::function<bool()>& stop_asked) {
  while (!holds()) {
    if (stop_asked()) return Error{ErrorCode::kUnavailable, "Stopped while starting."};
    std::this_thread::sleep_for(10ms);
  }
  return kDone;
}

}  // namespace

// Constructed in this order; destroyed in reverse.
struct Service::Parts {
  Parts(const Config& settings, const DataDirectory& own, const Clock& wall_clock, LogLines& lines)
      : config(settings), directory(own), clock(wall_clock), log_lines(lines) {}

  const Config& config;
  const DataDirectory& directory;
  const Clock& clock;
  TestClock* test_clock = nullptr;  // null: the clock cannot be moved
  LogLines& log_lines;

  std::string release() const {
    return config.test_release.empty() ? TILTH_VERSION : config.test_release;
  }

  RisingRandom random;
  IdSource ids{[this](std::uint8_t* bytes, std::size_t count) { random.fill(bytes, count); }};
  RocksMemory memory{kCacheBytes, kWriteBytes};
  Metrics metrics{release()};
  std::unique_ptr<Tracer> tracer;  // null: no traces are exported
  std::unique_ptr<SpanExporter> exporter;
  const ClientMemory client_memory{config};
  NodeLogs logs;
  EventLog* log = nullptr;
  std::unique_ptr<KeyDigest> digest;
  KeyRing ring;
  OperatorRing operators;
  RateLimiter limiter;
  ByteQuota byte_quota;
  std::atomic<std::uint64_t> events_of_access = 0;  // read by this node
  std::atomic<std::uint64_t> rule_tasks = 0;        // made by recurring tasks since the start
  std::unique_ptr<NodeUsage> usage;
  OverridesFile overrides{directory.projection_overrides()};
  LastBackup last_backup{directory.path() / "last-backup"};
  NodeProjections projections{{.config = config,
                               .node = "tilth://" + directory.node(),
                               .logs = logs,
                               .memory = memory,
                               .overrides = overrides,
                               .clock = clock,
                               .ids = ids,
                               .metrics = metrics,
                               .log_lines = log_lines}};
  ProjectionCells *access = nullptr, *registry = nullptr, *finance = nullptr, *market = nullptr;
  std::unique_ptr<ClockLoop> clock_loop;  // null: other nodes do this
  std::unique_ptr<RateFetcher> rate_fetcher;
  NodeWork work;
  std::unique_ptr<HistoryService> history;
  const RowFaults row_faults{{[this](const auto& rows) { projections.cannot_read(rows); },
                              [this](const auto& rows) { history->index().cannot_read(rows); }}};
  std::unique_ptr<NodeWebhooks> webhooks;
  std::unique_ptr<Eraser> eraser;
  std::unique_ptr<PublicSurface> public_surface;
  std::unique_ptr<AuditTrail> audit;
  std::unique_ptr<OperatorSurface> operator_surface;
  std::unique_ptr<ServiceWatch> watch;
  OverviewFigures figures{config.data};
  Trends trends{[this] { return figures.measure(*watch); }};
  std::unique_ptr<TrendRecorder> trend_recorder;
  std::unique_ptr<HttpListener> listener, operator_listener;
  const Timestamp started_at = clock.now();
  std::unique_ptr<NodeCluster> cluster;
  std::unique_ptr<AccessLease> lease;    // null: this node is alone; destroyed before its users
  std::unique_ptr<LogCheck> log_check;   // null: the brokers keep the log
  std::unique_ptr<NodeArchive> archive;  // null: as above
  std::unique_ptr<NodeBackup> backup;
  std::atomic<bool> ready = false;   // it has read the log, and other nodes may know
  std::atomic<bool> serves = false;  // and its API answers
  std::atomic<bool> stopping = false;

  Status open(const std::function<bool()>& stop_asked);
  Status open_traces();
  Status open_users();
  Status open_registry();
  void on_land(std::size_t cell, const Event& event, const LoggedRecord& logged,
               const RowBytes* row);
  Status open_others();
  Status open_usage();
  Status open_history();
  Status open_webhooks();
  Status open_eraser();
  Status open_public();
  Status open_watch();
  Status open_log_care();
  Status open_operators();
  Status listen();
  Status open_cluster();
  Status join_cluster();
  RequestForwarder* request_forwarder()
      const;  // null: this node holds everything, or begins to start
  std::optional<std::string> waits_for() const;
  Status give_library(bool log_is_empty);
  Status wait_for_lease(const std::function<bool()>& stop_asked);
  Status announce_ready(const std::function<bool()>& stop_asked);
  OperatorParts operator_parts();
  std::vector<BackedUp> backed_up_rows();
  void on_answered(const Answered& answer);
  void report_limits(Samples& to);
  void report_memory(Samples& to) const;
};

// Each stage may use the earlier ones.
Status Service::Parts::open(const std::function<bool()>& stop_asked) {
  log_lines.keep_secret(directory.operator_token());
  auto opened_logs = open_node_logs(config, directory, metrics, log_lines, stop_asked);
  if (!opened_logs) return opened_logs.error();
  logs = std::move(*opened_logs);
  const EndOfFetches fetches(logs.archives.cache, stop_asked);
  log = logs.events.get();
  digest = std::make_unique<KeyDigest>(logs.key_secret);
  if (const auto read = overrides.open(); !read) return read;
  for (const auto stage :
       {&Parts::open_traces, &Parts::open_users, &Parts::open_usage, &Parts::open_registry,
        &Parts::open_others, &Parts::open_history, &Parts::open_webhooks, &Parts::open_cluster,
        &Parts::open_eraser, &Parts::open_public, &Parts::open_watch, &Parts::open_log_care,
        &Parts::open_operators, &Parts::listen, &Parts::join_cluster}) {
    if (const auto opened = (this->*stage)(); !opened) return opened;
  }
  operator_listener->set_ready();
  return kDone;
}

Status Service::Parts::open_traces() {
  const auto& traces = config.traces;
  if (traces.endpoint.empty()) return kDone;
  Collector collector{traces.endpoint};
  if (!traces.headers_file.empty()) {
    auto headers = read_header_file(traces.headers_file);
    if (!headers) return headers.error();
    collector.headers = std::move(*headers);
  }
  for (const auto& header : collector.headers) {
    constexpr std::size_t kShortestSecret = 8;  // "1" is in every line
    auto value = header.substr(header.find_first_not_of(' ', header.find(':') + 1));
    if (value.size() >= kShortestSecret) log_lines.keep_secret(std::move(value));
  }
  tracer = std::make_unique<Tracer>(traces.sample, fill_random);
  exporter = std::make_unique<SpanExporter>(std::move(collector),
                                            TraceResource{release(), directory.node()}, log_lines);
  metrics.add_source([this](Samples& to) { exporter->report(to); });
  return kDone;
}

Status Service::Parts::open_users() {
  auto opened = projections.open(
      *logs.decided, tilth::access(), {},
      [this](int, const Event& event, const LoggedRecord& logged, const RowBytes* row) {
        logs.on_access(logged);
        const auto& envelope = logged.record->envelope;
        const auto bytes = bytes_of(*logged.record, row);
        byte_quota.add(envelope.actor, bytes, envelope.time, clock.now());
        if (logged.record->stream != kAccessStream) return;  // the audit trail
        ring.on_event(event);  // before others learn that it is known here
        operators.on_event(event);
        if (auto* forwarder = request_forwarder()) forwarder->on_access(logged.position);
        events_of_access = logged.record->envelope.stream_version + 1;
      });
  if (!opened) return opened.error();
  access = *opened;
  return access->read_first(std::string(kAccessStream), [this](const Rows& rows) {
    ring.fill(rows);
    operators.fill(rows);
    events_of_access = rows.version();
  });
}

Status Service::Parts::open_usage() {
  auto opened = NodeUsage::open({config.data / "usage", config.data / "requests", memory, limiter,
                                 *digest, clock, ids, directory.node(), logs.usage.get(), log_lines,
                                 [this] { return static_cast<std::int64_t>(events_of_access); },
                                 [this](const std::string& user) { return ring.is_erased(user); }});
  if (!opened) return opened.error();
  usage = std::move(*opened);
  return kDone;
}

Status Service::Parts::open_registry() {
  auto opened = projections.open(
      *logs.decided, tilth::registry(), division_of(config, *log),
      [this](int cell, const Event& event, const LoggedRecord& logged, const RowBytes* row) {
        on_land(static_cast<std::size_t>(cell), event, logged, row);
      },
      {decide_due, may_bring_forward});
  if (!opened) return opened.error();
  registry = *opened;
  if (config.roles.clock) {
    clock_loop =
        std::make_unique<ClockLoop>(ClockLoop::Parts{registry->cells(), clock, ids, log_lines});
  }
  rate_fetcher = std::make_unique<RateFetcher>(
      RateFetcher::Parts{config.rates, registry->cells(), clock, ids, log_lines});
  return kDone;
}

// An event that a cell of the registry has folded. Every cell folds the reference data: it counts
// in its own cell, and each cell then visits the rules of its own streams.
void Service::Parts::on_land(std::size_t cell, const Event& event, const LoggedRecord& logged,
                             const RowBytes* row) {
  const auto& record = *logged.record;
  auto* forwarder = request_forwarder();
  if (forwarder != nullptr && record.stream == kReferenceStream &&
      cell == registry->cells().number_of(kReferenceStream)) {
    forwarder->on_reference(logged.position);
  }
  if (!registry || registry->cells().number_of(record.stream) == cell) {
    byte_quota.add(record.stream, bytes_of(record, row), record.envelope.time, clock.now());
    rule_tasks += tasks_of_rules(event);
    if (history) history->bell().ring(record.stream);
    if (webhooks) webhooks->service().on_accepted(event, logged);
  }
  if (!clock_loop) return;
  for (const auto& visit : visits_after(record.stream, event)) clock_loop->visit(cell, visit);
  if (may_bring_forward(event)) clock_loop->wake();
}

// Prices are summed over all owners, so the market has one cell where all owners are here.
Status Service::Parts::open_others() {
  const auto of_land = division_of(config, *log);
  for (const auto& [projection, which, division] :
       {std::tuple{&finance, tilth::finance(), of_land},
        std::tuple{&market, tilth::market(),
                   of_land.among_nodes ? of_land : NodeProjections::Division()}}) {
    auto opened = projections.open(*logs.followed, which, division);
    if (!opened) return opened.error();
    *projection = *opened;
  }
  return kDone;
}

Status Service::Parts::open_history() {
  if (logs.shared()) {
    lease = std::make_unique<AccessLease>(*log, access->of(kAccessStream), usage->others());
  }
  auto opened = HistoryService::open({config, memory, *logs.decided, *logs.followed, clock, *digest,
                                      ring, log_lines, overrides, lease.get(), work});
  if (!opened) return opened.error();
  history = std::move(*opened);
  return kDone;
}

Status Service::Parts::open_webhooks() {
  auto opened = NodeWebhooks::open(
      {.config = config,
       .logs = logs,
       .node = directory.node(),
       .memory = memory,
       .access = access->of(kAccessStream),
       .registry = registry->cells(),
       .index = history->index(),
       .digest = *digest,
       .sends_for = [this](const std::string& owner) { return cluster->is_first(owner); },
       .random = random,
       .clock = clock,
       .ids = ids,
       .log_lines = log_lines});
  if (!opened) return opened.error();
  webhooks = std::move(*opened);
  metrics.add_source([this](Samples& to) { webhooks->service().report(to); });
  return kDone;
}

Status Service::Parts::open_eraser() {
  std::string refuses_because;
  if (!logs.owner_keys) {
    refuses_because =
        "No person can be erased from this log, since it is not sealed. "
        "Export it and import it into a new one.";
  }
  eraser = std::make_unique<Eraser>(Eraser::Parts{
      .refuses_because = std::move(refuses_because),
      .access = *access,
      .registry = *registry,
      .keys = logs.owner_keys.get(),
      .forget_recent = [this] { logs.forget_recent(); },
      .holds = [this](const std::string& owner) { return cluster->is_here(owner); },
      .is_held = [this](const std::string& owner) { return cluster->is_held(owner); },
      .unclean_nodes = [this](const std::string& owner) { return cluster->unclean_nodes(owner); },
      .dead_nodes = [this](const std::string& owner) { return cluster->unclean_dead_nodes(owner); },
      .usage = *usage,
      .lease = lease.get(),
      .row_faults = row_faults,
      .clock = clock,
      .ids = ids,
      .log_lines = log_lines});
  if (logs.shared_keys != nullptr) {
    logs.shared_keys->on_destroyed([this] { eraser->wake(); });
  }
  return kDone;
}

OperatorParts Service::Parts::operator_parts() {
  OperatorParts parts{
      .version = release(),
      .node = directory.node(),
      .roles = names_of(config.roles),
      .log_kind = logs.shared() ? "kafka" : "embedded",
      .topic = logs.shared() ? config.topic : "",
      .brokers = logs.shared() ? config.brokers : std::vector<std::string>(),
      .listen = [this] { return listener->address(); },
      .operator_listen = [this] { return operator_listener->address(); },
      .nodes = [this] { return cluster->nodes(); },
      .log = *log,
      .index = history->index(),
      .access = access->of(kAccessStream),
      .registry = registry->cells(),
      .row_faults = row_faults,
      .projections = projections.operated(),
      .digest = *digest,
      .limiter = limiter,
      .sessions = usage->sessions(),
      .requests = usage->requests(),
      .clock = clock,
      .ids = ids,
      .plan_exists = [this](const std::string& plan) { return config.plans.contains(plan); },
      .hash_password = hash_password,
      .metrics = [this] { return metrics.text(); },
      .backup = *backup,
      .begin_import = import_into(logs, config, [this] { return usage->alone(); }),
      .ready = [this] { return serves.load(); },
      .waits_for = [this] { return waits_for(); }};
  parts.run_due = [this](auto done) {
    clock_loop ? clock_loop->run_due(std::move(done)) : done(kDone);
  };
  parts.fetched_rates = {[this] { return rate_fetcher->fetch(); }, config.rates.source};
  parts.eraser = eraser.get();
  parts.lease = lease.get();
  parts.log_check = log_check.get();
  parts.archive = archive.get();
  if (logs.shared()) parts.alone = [this] { return usage->alone(); };
  parts.commands = config.roles.command;
  if (cluster->divides()) {
    parts.holds = [this](const std::string& user) { return cluster->holds(user); };
    parts.drain = [this](const std::string& node, auto done) {
      cluster->drain(node, std::move(done));
    };
  }
  parts.plans = &config.plans;
  parts.trends = &trends;
  if (test_clock != nullptr) {
    parts.clock_mover = ClockMover{[this](CalendarDuration by) { return test_clock->advance(by); },
                                   [this](Timestamp to) { return test_clock->move_to(to); }};
  }
  return parts;
}

std::vector<BackedUp> Service::Parts::backed_up_rows() {
  // What is sealed in the log must not be readable next to it. The restored service folds it again.
  auto rows = logs.owner_keys ? finance->backed_up() : projections.backed_up();
  if (logs.owner_keys) {
    for (auto& part : market->backed_up()) rows.push_back(std::move(part));
  }
  rows.push_back(history->backed_up());
  if (!logs.shared()) rows.push_back(webhooks->backed_up());
  return rows;
}

// Logs errors so that their requests can be found; everything else only at debug level.
void Service::Parts::on_answered(const Answered& answer) {
  metrics.answered(answer);
  if (!answer.key_id.empty() && usage) {
    usage->requests().note(
        std::string(answer.owner),
        {.time = clock.now(),
         .method = std::string(answer.method),
         .path = std::string(answer.path),
         .status = answer.status,
         .duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(answer.took).count(),
         .request_id = std::string(answer.request_id),
         .key_id = std::string(answer.key_id),
         .address = std::string(answer.address),
         .replayed = answer.replayed,
         .traceparent = answer.traceparent.empty()
                            ? std::nullopt
                            : std::optional(std::string(answer.traceparent))});
  }
  if (answer.span != nullptr) exporter->add(tracer->end(answer));
  const bool trouble = answer.status >= 500;
  if (!trouble && config.log_level != LogLevel::kDebug) return;
  const auto kind = "A request was answered: " + std::string(answer.method) + " " +
                    std::string(answer.route) + " " + std::to_string(answer.status);
  LogLines::Fields fields{{"method", answer.method},
                          {"route", answer.route},
                          {"status", answer.status},
                          {"microseconds", answer.took.count() / 1'000},
                          {"requestId", answer.request_id}};
  if (!answer.traceparent.empty()) fields.emplace_back("traceparent", answer.traceparent);
  log_lines.log(trouble ? LogLevel::kWarn : LogLevel::kDebug, "A request was answered.", fields,
                kind);
}

// What the databases hold is bounded; whatever else grows for days is a leak.
void Service::Parts::report_memory(Samples& to) const {
  const auto report = [&](std::string_view database, const RocksMemory::Held& held) {
    const auto part = [&](std::string_view name, std::size_t bytes) {
      to.gauge("tilth_database_memory_bytes", "Memory that databases hold, for what they use it.",
               {{"database", std::string(database)}, {"part", std::string(name)}},
               static_cast<double>(bytes));
    };
    part("cache", held.cache_bytes);
    part("writes", held.write_bytes);
  };
  report("rows", memory.held());
  if (logs.memory) report("log", logs.memory->held());
  report_heap(to);
}

// What was refused to protect other owners.
void Service::Parts::report_limits(Samples& to) {
  const auto count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    to.counter(name, help, {}, static_cast<double>(value));
  };
  count("tilth_changes_over_bytes_total",
        "Changes that were refused since their owner's plan has bytes_per_hour.",
        byte_quota.refused());
  count("tilth_rule_tasks_total", "Tasks that recurring tasks made.", rule_tasks);
  count("tilth_audit_entries_total", "Requests of operators that are in the audit trail.",
        audit->recorded());
  count("tilth_audit_lost_total", "Requests of operators that are in no audit trail, only logged.",
        audit->lost());
  to.gauge("tilth_audit_waiting", "Requests of operators that wait to be in the audit trail.", {},
           static_cast<double>(audit->waiting()));
  count("tilth_log_lines_left_out_total", "Repeated warnings that were not logged.",
        log_lines.left_out());
}

// Webhooks are open: the share that this node holds says for which owners it sends.
Status Service::Parts::open_cluster() {
  cluster = std::make_unique<NodeCluster>(NodeCluster::Parts{
      .config = config,
      .logs = logs,
      .self = {.node = directory.node(), .version = release(), .started_at = started_at},
      .access = *access,
      .registry = *registry,
      .finance = *finance,
      .market = *market,
      .index = history->index(),
      .layout = division_of(config, *log).layout_of(*log),
      .projections = projections,
      .address = [this] { return listener->address(); },
      .operator_address = [this] { return operator_listener->address(); },
      .ready = [this] { return ready.load(); },
      .on_first_changed = [this] { webhooks->service().send_for_others(); },
      .memory = client_memory,
      .clock = clock,
      .ids = ids,
      .metrics = metrics,
      .log_lines = log_lines});
  return cluster->open();
}

Status Service::Parts::open_public() {
  public_surface = std::make_unique<PublicSurface>(
      PublicSurface::Parts{.config = config,
                           .access = access->of(kAccessStream),
                           .registry = registry->cells(),
                           .others = {{kFinance, &finance->cells()}, {kMarket, &market->cells()}},
                           .ring = ring,
                           .digest = *digest,
                           .usage = *usage,
                           .limiter = limiter,
                           .history = *history,
                           .work = work,
                           .row_faults = row_faults,
                           .clock = clock,
                           .ids = ids,
                           .log_lines = log_lines,
                           .lease = lease.get(),
                           .bytes = byte_quota,
                           .webhooks = webhooks->service(),
                           .eraser = *eraser,
                           .forwarding = request_forwarder()});
  return kDone;
}

Status Service::Parts::open_watch() {
  watch = std::make_unique<ServiceWatch>(*log, clock, projections.watched(),
                                         [this] { return serves.load(); });
  metrics.add_source([this](Samples& to) {
    watch->report(to);
    public_surface->report(to);
    report_limits(to);
  });
  return kDone;
}

// What looks after an embedded log; brokers look after theirs.
Status Service::Parts::open_log_care() {
  if (logs.embedded == nullptr) return kDone;
  const auto copy_log = [log = logs.embedded](const auto& to) {
    const auto why = log->trouble();
    return why.empty() ? log->copy_to(to) : Status(Error{ErrorCode::kUnavailable, why});
  };
  log_check = std::make_unique<LogCheck>(LogCheck::Parts{
      .copy_log = copy_log,
      .archives = logs.archives,
      // What it finds is told by the check and by the metrics.
      .look_at_archive = [log = logs.embedded] { static_cast<void>(log->look_at_archive()); },
      .aside = config.data / "log-check",
      .clock = clock,
      .log = log_lines});
  archive = std::make_unique<NodeArchive>(NodeArchive::Parts{
      *logs.embedded, config.data, config.archive.directory, [this] { return !stopping; }});
  metrics.add_source([this](Samples& to) {
    log_check->report(to);
    archive->report(to);
    last_backup.report(to);
  });
  return kDone;
}

Status Service::Parts::open_operators() {
  backup = std::make_unique<NodeBackup>(
      NodeBackup::Parts{.rows = [this] { return backed_up_rows(); },
                        .logs = logs,
                        .usage = usage->store(),
                        .directory = directory,
                        .aside = config.data / "backup-aside",
                        .clock = clock,
                        .goes_on = [this] { return !stopping; },
                        .on_made = [this] { last_backup.succeeded(clock.now(), log_lines); },
                        .log_lines = log_lines});
  audit = std::make_unique<AuditTrail>(
      AuditTrail::Parts{access->of(kAccessStream), ids, [this] { return ready.load(); },
                        [this](const auto& entry, auto not_stored) {
                          log_operator_request(entry, not_stored, log_lines);
                        }});
  operator_surface = std::make_unique<OperatorSurface>(
      operator_parts(),
      OperatorGuard::Parts{
          .own_token = directory.operator_token(),
          .ring = operators,
          .digest = *digest,
          .needed_role = needed_role,
          .ready = [this] { return ready.load(); },
          .on_change = [this](const Route& route, const Call& call) { audit->begin(route, call); }},
      HostGuard(config.operator_listen.host, config.operator_hosts));
  metrics.add_source([this](Samples& to) {
    work.report(to);
    report_disk_space(config.data, to);
    client_memory.report(to);
    report_memory(to);
  });
  return kDone;
}

Status Service::Parts::listen() {
  const auto answered = [this](const Answered& answer) { on_answered(answer); };
  const auto counted = [this](const Answered& answer) {
    figures.answered(answer.status);
    on_answered(answer);
  };
  auto options =
      port_options(config, config.listen, Listener::kApi, client_memory, metrics, log_lines);
  options.max_body_bytes = static_cast<std::size_t>(config.limits.max_body_bytes);
  const auto hardware = std::max(1U, std::thread::hardware_concurrency());
  options.workers = static_cast<int>(config.http.threads > 0 ? config.http.threads : hardware);
  if (cluster) options.embed = cluster->embed();
  const auto traced = [this](Dispatcher::Parts of) {
    if (tracer) of.begin_span = [this](std::string_view parent) { return tracer->begin(parent); };
    return of;
  };
  auto of_clients = traced(public_surface->dispatcher_parts(counted));
  of_clients.forwarding = request_forwarder();
  auto opened =
      HttpListener::open(std::move(options), std::move(of_clients), public_surface->routes());
  if (!opened) return opened.error();
  listener = std::move(*opened);

  auto for_operators = port_options(config, config.operator_listen, Listener::kOperator,
                                    client_memory, metrics, log_lines);
  for_operators.max_body_bytes = kOperatorBody;
  for_operators.spool_directory = config.data;
  for_operators.workers = 1;
  opened = HttpListener::open(std::move(for_operators),
                              traced(operator_surface->dispatcher_parts(answered)),
                              operator_surface->routes());
  if (!opened) return opened.error();
  operator_listener = std::move(*opened);
  trend_recorder = std::make_unique<TrendRecorder>(trends);
  return kDone;
}

Status Service::Parts::join_cluster() { return cluster->join(listener->dispatcher()); }

RequestForwarder* Service::Parts::request_forwarder() const {
  return cluster ? cluster->request_forwarder() : nullptr;
}

Status Service::Parts::give_library(bool log_is_empty) {
  if (config.no_library || !config.roles.command) return kDone;
  const auto now = clock.now();
  const LibraryImport import{registry->cells(), registry->of(kReferenceStream).projector(), now,
                             "tilth", ids.uuid(now).text()};
  return give_shipped_library(import, log_is_empty, directory.library_mark(), log_lines);
}

std::optional<std::string> Service::Parts::waits_for() const {
  return usage->is_current() ? std::nullopt : std::optional(logs.usage_topic);
}

// Waits until this node may trust a key, unless its knowledge of keys has stopped.
Status Service::Parts::wait_for_lease(const std::function<bool()>& stop_asked) {
  if (!lease) return kDone;
  return wait_until(
      [this] { return lease->holds() || access->of(kAccessStream).projector().is_halted(); },
      stop_asked);
}

// Others forward requests only to nodes that have announced that they are ready.
Status Service::Parts::announce_ready(const std::function<bool()>& stop_asked) {
  cluster->announce_ready();
  return wait_until([this] { return cluster->is_known_ready(); }, stop_asked);
}

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::open(const Config& config, const DataDirectory& directory,
                                               const Clock& clock, TestClock* test_clock,
                                               LogLines& log,
                                               const std::function<bool()>& stop_asked) {
  auto parts = std::make_unique<Parts>(config, directory, clock, log);
  parts->test_clock = test_clock;
  std::unique_ptr<Service> service(new Service(std::move(parts)));
  if (const auto opened = service->parts_->open(stop_asked); !opened) return opened.error();
  return service;
}

Status Service::become_ready(const std::function<bool()>& stop_asked) {
  auto* p = parts_.get();
  const EndOfFetches fetches(p->logs.archives.cache, stop_asked);
  const auto ends = ends_of(*p->log);
  if (!ends) return ends.error();
  const auto filled = ProjectionCells::fill({p->registry, p->finance, p->market},
                                            p->registry->cells().held(), *ends, stop_asked);
  if (!filled) return filled;
  if (const auto begun = p->cluster->begin(stop_asked); !begun) return begun.error();
  const auto caught_up = p->projections.catch_up(*ends, stop_asked);
  if (!caught_up) return caught_up.error();
  p->cluster->follow();
  if (const auto trusted = p->wait_for_lease(stop_asked); !trusted) return trusted.error();
  const bool empty =
      std::all_of(ends->begin(), ends->end(), [](const auto& end) { return end.offset == 0; });
  if (const auto given = p->give_library(empty); !given) return given.error();
  if (p->clock_loop) {
    p->clock_loop->begin(5s);
    p->rate_fetcher->begin();  // the role has what needs no request
  }
  p->webhooks->service().begin();
  p->eraser->begin();
  p->ready = true;
  if (const auto announced = p->announce_ready(stop_asked); !announced) return announced.error();
  p->audit->append_waiting();
  p->listener->set_ready();
  p->serves = true;
  return kDone;
}

std::string Service::address() const { return parts_->listener->address(); }
std::string Service::operator_address() const { return parts_->operator_listener->address(); }

// Stops callers before what they call; connections stay until every possible response is sent.
void Service::stop() {
  auto* p = parts_.get();
  p->stopping = true;
  if (p->logs.archives.cache) p->logs.archives.cache->end();  // threads may wait for it
  if (p->webhooks)
    p->webhooks->service().end_tests();  // they may take longer than the listener waits
  // Another node sends as soon as this one announces that it leaves.
  if (p->cluster && p->cluster->divides()) p->webhooks->service().stop();
  if (p->cluster) p->cluster->leave();
  p->work.close();
  if (p->listener) p->listener->drain(6s);
  if (p->cluster) p->cluster->drain_requests(2s);
  if (p->operator_listener) p->operator_listener->drain(1s);
  if (p->clock_loop) p->clock_loop->stop();
  if (p->rate_fetcher) p->rate_fetcher->stop();
  if (p->log_check) p->log_check->stop();
  if (p->logs.shared_keys != nullptr) p->logs.shared_keys->on_destroyed({});
  if (p->eraser) p->eraser->stop();
  p->trend_recorder.reset();
  if (p->webhooks) p->webhooks->service().stop();
  p->projections.stop();
  if (p->public_surface) p->public_surface->stop();
  p->work.stop();
  if (p->cluster) p->cluster->stop();
  if (p->listener) p->listener->close();
  if (p->operator_listener) p->operator_listener->close();
  if (p->history) p->history->stop();
  if (p->usage) p->usage->stop();
  if (p->exporter) p->exporter->stop();
}

}  // namespace tilth
