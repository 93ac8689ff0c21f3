#include "app/node/service.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <thread>
#include <tuple>
#include <utility>

#include <sys/resource.h>

#include "api/operator/audit_trail.h"
#include "api/operator/merged_standing.h"
#include "api/operator/operator_roles.h"
#include "app/node/client_memory.h"
#include "app/node/clock_loop.h"
#include "app/node/eraser.h"
#include "app/node/history_service.h"
#include "app/node/http_listener.h"
#include "app/node/land_share.h"
#include "app/node/last_backup.h"
#include "app/node/log_check.h"
#include "app/node/node_archive.h"
#include "app/node/node_backup.h"
#include "app/node/node_logs.h"
#include "app/node/node_projections.h"
#include "app/node/node_usage.h"
#include "app/node/node_work.h"
#include "app/node/operator_surface.h"
#include "app/node/passing_on.h"
#include "app/node/public_surface.h"
#include "app/node/rate_fetcher.h"
#include "app/node/shipped_library.h"
#include "app/node/trend_recorder.h"
#include "command/work/due_rules.h"
#include "events/log/log_end.h"
#include "infra/cluster/membership.h"
#include "infra/config/settings.h"
#include "infra/embedded/archive_cache.h"
#include "infra/http/server.h"
#include "infra/metrics/disk_space.h"
#include "infra/metrics/footprint.h"
#include "infra/metrics/heap.h"
#include "infra/metrics/metrics.h"
#include "infra/metrics/service_watch.h"
#include "infra/node/data_directory.h"
#include "infra/node/overrides_file.h"
#include "infra/peers/peer_client.h"
#include "infra/peers/peer_secret.h"
#include "infra/peers/peer_server.h"
#include "infra/system/clock.h"
#include "infra/system/password.h"
#include "infra/system/random.h"
#include "infra/traces/span_exporter.h"
#include "infra/traces/tracer.h"
#include "infra/webhooks/delivery_service.h"
#include "infra/webhooks/delivery_sharing_thread.h"
#include "infra/webhooks/delivery_store.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCacheBytes = 32 << 20, kWriteBytes = 24 << 20;
constexpr std::size_t kOperatorBody = 256 << 20;
constexpr std::size_t kPassedOnBody = 64 << 20;  // the other node has checked its size
constexpr std::size_t kOwnDescriptors = 384;     // for files, operators and webhooks

// What an operator has done is a line of its own: it stays where the audit trail cannot be written.
void tell_deed(const AuditRecorded& entry, std::string_view not_stored, LogLines& log_lines) {
  LogLines::Fields fields{{"operator", entry.operator_name}, {"action", entry.action},
                          {"method", entry.method},          {"target", entry.target},
                          {"status", entry.status},          {"address", entry.address},
                          {"requestId", entry.request_id}};
  if (not_stored.empty()) return log_lines.info("An operator's request was answered.", fields);
  fields.emplace_back("reason", not_stored);
  log_lines.warn("An operator's request is not in the audit trail yet.", fields);
}

// Descriptors that the API's clients take up are missing for files and operators.
std::size_t most_connections(const Config& config) {
  const auto wanted = static_cast<std::size_t>(config.http.max_connections);
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return wanted;
  const auto there_are = static_cast<std::size_t>(descriptors.rlim_cur);
  return std::min(wanted, std::max(there_are, 2 * kOwnDescriptors) - kOwnDescriptors);
}

std::size_t most_of_address(const Config& config, std::size_t most_of_all) {
  const auto wanted = static_cast<std::size_t>(config.http.max_connections_per_address);
  return wanted > 0 ? wanted : std::max<std::size_t>(most_of_all / 4, 1);
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

// Whether many clients may come from that address.
bool is_shared(const std::string& peer, const std::vector<Network>& proxies) {
  static const std::array kLoopback = {Network::parse("127.0.0.0/8").value(),
                                       Network::parse("::1").value()};
  const auto address = Address::parse(peer);
  const auto contains = [&](const Network& network) { return network.contains(*address); };
  return address && (std::any_of(kLoopback.begin(), kLoopback.end(), contains) ||
                     std::any_of(proxies.begin(), proxies.end(), contains));
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
  OverridesFile orders{directory.projection_overrides()};
  LastBackup last_backup{directory.path() / "last-backup"};
  NodeProjections projections{{.config = config,
                               .node = "tilth://" + directory.node(),
                               .logs = logs,
                               .memory = memory,
                               .overrides = orders,
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
  SystemClock signing_clock;
  std::unique_ptr<DeliveryStore> delivery_store;
  std::unique_ptr<DeliverySharing> delivery_sharing;  // null: this node is alone
  std::unique_ptr<DeliverySharingThread> delivery_sharing_thread;
  std::unique_ptr<DeliveryService> webhooks;
  std::unique_ptr<Eraser> eraser;
  std::unique_ptr<PublicSurface> public_surface;
  std::unique_ptr<AuditTrail> audit;
  std::unique_ptr<OperatorSurface> operator_surface;
  std::unique_ptr<ServiceWatch> watch;
  std::array<std::atomic<std::uint64_t>, 6> answers = {};  // of the API, by their status' hundreds
  Trends trends{[this] { return measure(); }};
  std::unique_ptr<TrendRecorder> trend_recorder;
  std::unique_ptr<HttpListener> listener, operator_listener;
  const Timestamp started_at = clock.now();
  std::unique_ptr<Membership> membership;  // null: this node is alone
  // Null: this node holds everything.
  std::unique_ptr<LandShare> land_share;
  std::optional<PeerSecret> peer_secret;
  std::unique_ptr<PeerClient> peer_client;
  std::unique_ptr<PassingOn> passing_on;
  std::unique_ptr<PassedOnRequests> passed_on;
  std::unique_ptr<PeerServer> peer_server;
  std::unique_ptr<AccessLease> lease;    // null: this node is alone; destroyed before its users
  std::unique_ptr<LogCheck> log_check;   // null: the brokers keep the log
  std::unique_ptr<NodeArchive> archive;  // null: as above
  std::unique_ptr<NodeBackup> backup;
  std::atomic<bool> ready = false;
  std::atomic<bool> stopping = false;

  Status open(const std::function<bool()>& stop_asked);
  Status open_traces();
  Status open_users();
  Status open_registry();
  void on_land(std::size_t cell, const Event& event, const LoggedRecord& logged);
  Status open_others();
  Status open_usage();
  Status open_history();
  Status open_webhooks();
  void open_eraser();
  std::vector<std::string> unclean_nodes(const std::string& owner,
                                         std::initializer_list<NodeState> states) const;
  Result<std::unique_ptr<LogReader>> read_deliveries(std::optional<std::int64_t> offset);
  Status listen();
  Status join_cluster();
  Status open_share();
  Status listen_to_peers();
  Status holds(const std::string& user) const;
  Status drain_self();
  void drain(const std::string& node, std::function<void(const Status&)> done);
  Announcement describe() const;
  std::vector<NodeStanding> with_reach(std::vector<NodeStanding> nodes) const;
  std::vector<NodeStanding> nodes() const;
  Status give_library(bool log_is_empty);
  Status hear_others(const std::function<bool()>& stop_asked);
  Status tell_others(const std::function<bool()>& stop_asked);
  OperatorParts operator_parts();
  std::vector<BackedUp> backed_up_rows();
  ServerOptions server_options(const HostPort& at, Listener port);
  void on_answered(const Answered& answer);
  Figures measure() const;
  void tell_limits(Samples& to);
  void tell_memory(Samples& to) const;
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
  if (const auto read = orders.open(); !read) return read;
  for (const auto stage :
       {&Parts::open_traces, &Parts::open_users, &Parts::open_usage, &Parts::open_registry,
        &Parts::open_others, &Parts::open_history, &Parts::open_webhooks, &Parts::open_share,
        &Parts::listen, &Parts::listen_to_peers, &Parts::join_cluster}) {
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
  metrics.add_source([this](Samples& to) { exporter->tell(to); });
  return kDone;
}

Status Service::Parts::open_users() {
  auto opened =
      projections.open(*logs.decided, tilth::access(), {},
                       [this](int, const Event& event, const LoggedRecord& logged) {
                         logs.on_access(logged);
                         const auto& envelope = logged.record->envelope;
                         byte_quota.add(envelope.actor, logged.record->json.size(), envelope.time);
                         if (logged.record->stream != kAccessStream) return;  // the audit trail
                         ring.on_event(event);  // before others learn that it is known here
                         operators.on_event(event);
                         if (passing_on) passing_on->on_access(logged.position);
                         events_of_access = logged.record->envelope.stream_version + 1;
                       });
  if (!opened) return opened.error();
  access = *opened;
  return access->read_first(std::string(kAccessStream), [this](const Rows& rows) {
    ring.fill(rows), operators.fill(rows), events_of_access = rows.version();
  });
}

Status Service::Parts::open_usage() {
  auto opened = NodeUsage::open({config.data / "usage", config.data / "requests", memory, limiter,
                                 *digest, clock, ids, directory.node(), logs.usage.get(), log_lines,
                                 [this] { return static_cast<std::int64_t>(events_of_access); }});
  if (!opened) return opened.error();
  usage = std::move(*opened);
  return kDone;
}

Status Service::Parts::open_registry() {
  auto opened = projections.open(
      *logs.decided, tilth::registry(), division_of(config, *log),
      [this](int cell, const Event& event, const LoggedRecord& logged) {
        on_land(static_cast<std::size_t>(cell), event, logged);
      },
      decide_due);
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
void Service::Parts::on_land(std::size_t cell, const Event& event, const LoggedRecord& logged) {
  const auto& record = *logged.record;
  if (passing_on && record.stream == kReferenceStream &&
      cell == registry->cells().number_of(kReferenceStream)) {
    passing_on->on_reference(logged.position);
  }
  if (!registry || registry->cells().number_of(record.stream) == cell) {
    byte_quota.add(record.stream, record.json.size(), record.envelope.time);
    rule_tasks += tasks_of_rules(event);
    if (history) history->bell().ring(record.stream);
    if (webhooks) webhooks->on_accepted(event, logged);
  }
  if (!clock_loop) return;
  if (const auto visit = visit_after(record.stream, event)) clock_loop->visit(cell, *visit);
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
                                      ring, log_lines, orders, lease.get(), work});
  if (!opened) return opened.error();
  history = std::move(*opened);
  return kDone;
}

Result<std::unique_ptr<LogReader>> Service::Parts::read_deliveries(
    std::optional<std::int64_t> offset) {
  if (offset) return logs.webhooks->read({{0, *offset}});
  const auto first = logs.webhooks->since({});
  return first ? logs.webhooks->read(*first) : first.error();
}

Status Service::Parts::open_webhooks() {
  const auto stored_in = config.data / "webhooks";
  auto opened = DeliveryStore::open(stored_in, memory);
  if (!opened && opened.error().code == ErrorCode::kDamaged) {
    return Error{ErrorCode::kDamaged,
                 opened.error().message + " Move " + stored_in.string() + " away: " +
                     (logs.shared() ? "it is read again from Kafka."
                                    : "every webhook then gets all events since its creation "
                                      "again.")};
  }
  if (!opened) return opened.error();
  delivery_store = std::move(*opened);
  if (logs.shared()) {
    delivery_sharing = std::make_unique<DeliverySharing>(
        DeliverySharing::Parts{.log = *logs.webhooks,
                               .store = *delivery_store,
                               .clock = clock,
                               .ids = ids,
                               .node = directory.node(),
                               .may_lead = config.roles.command,
                               .divided = config.cluster.copies > 0,
                               .read = [this](auto offset) { return read_deliveries(offset); },
                               .say = [this](std::string_view line) { log_lines.warn(line); }});
    delivery_sharing_thread = std::make_unique<DeliverySharingThread>(*delivery_sharing);
  }
  webhooks = std::make_unique<DeliveryService>(DeliveryService::Parts{
      .store = *delivery_store,
      .access = access->of(kAccessStream),
      .registry = registry->cells(),
      .log = *logs.decided,
      .index = history->index(),
      .digest = *digest,
      .clock = clock,
      .wall_clock = signing_clock,
      .ids = ids,
      .random =
          [this] {
            std::uint16_t bytes = 0;
            random.fill(reinterpret_cast<std::uint8_t*>(&bytes), sizeof bytes);
            return static_cast<double>(bytes) / UINT16_MAX;
          },
      .safety = {config.webhooks.allow_http, config.webhooks.allow_private},
      .source = "tilth://" + directory.node(),
      .delivers = config.roles.command,
      .sharing = delivery_sharing.get(),
      .sends_for =
          [this](const std::string& owner) { return !land_share || land_share->is_first(owner); },
      .log_lines = log_lines});
  metrics.add_source([this](Samples& to) { webhooks->tell(to); });
  return kDone;
}

void Service::Parts::open_eraser() {
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
      .holds =
          [this](const std::string& owner) { return !land_share || land_share->is_here(owner); },
      .is_held =
          [this](const std::string& owner) {
            return !land_share || land_share->is_here(owner) ||
                   !land_share->others_with(owner).empty();
          },
      .unclean_nodes =
          [this](const std::string& owner) {
            auto left = unclean_nodes(owner, {NodeState::kLive, NodeState::kUnknown});
            if (membership && !membership->has_heard_all()) {
              left.emplace_back("those that this node does not hear");
            }
            return left;
          },
      .dead_nodes =
          [this](const std::string& owner) { return unclean_nodes(owner, {NodeState::kDead}); },
      .usage = *usage,
      .clock = clock,
      .ids = ids,
      .log_lines = log_lines});
  if (logs.shared_keys != nullptr) {
    logs.shared_keys->on_destroyed([this] { eraser->wake(); });
  }
}

// The other nodes in one of these states that have not removed the owner from their files.
std::vector<std::string> Service::Parts::unclean_nodes(
    const std::string& owner, std::initializer_list<NodeState> states) const {
  std::vector<std::string> left;
  if (logs.shared_keys == nullptr || !membership) return left;
  const auto cleaned = logs.shared_keys->cleaned_by(owner);
  for (const auto& other : membership->heard()) {
    if (other.self || cleaned.contains(other.node)) continue;
    if (std::ranges::find(states, other.state) == states.end()) continue;
    left.push_back(other.node);
  }
  return left;
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
      .nodes = [this] { return nodes(); },
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
      .ready = [this] { return ready.load(); }};
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
  if (land_share) {
    parts.holds = [this](const std::string& user) { return holds(user); };
    parts.drain = [this](const std::string& node, auto done) { drain(node, std::move(done)); };
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
  if (!logs.shared()) {
    rows.push_back(
        {"webhooks", [this](const auto& path) { return delivery_store->copy_to(path); }});
  }
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

ServerOptions Service::Parts::server_options(const HostPort& at, Listener port) {
  ServerOptions options;
  options.host = at.host;
  options.port = at.port;
  options.max_connections = most_connections(config);
  options.max_connections_per_address = most_of_address(config, options.max_connections);
  options.is_shared_address = [this](const std::string& peer) {
    return is_shared(peer, config.http.trusted_proxies);
  };
  options.memory = client_memory.of(port);
  options.on_evicted = [this, port] { metrics.evicted(port); };
  options.on_turned_away = [this, port] { metrics.turned_away(port); };
  options.on_rest = [this, port] { metrics.rested(port); };
  options.on_protocol_error = [this](int status) { metrics.protocol_error(status); };
  options.on_connections = [this, port](std::int64_t open) { metrics.connections(port, open); };
  options.log = [this](std::string_view line) { log_lines.warn(line); };
  return options;
}

// The figures of the overview for operators.
Figures Service::Parts::measure() const {
  class OfInterest final : public Samples {
   public:
    explicit OfInterest(Figures& figures) : figures_(figures) {}
    void gauge(std::string_view name, std::string_view, MetricLabels labels,
               double value) override {
      const auto of = labels.empty() ? std::string() : labels.front().second;
      if (name == "tilth_projection_lag_events") figures_[{"lagEvents", of}] = value;
      if (name == "tilth_projection_lag_seconds") figures_[{"lagSeconds", of}] = value;
      if (name == "tilth_log_end_offset") figures_[{"logEnd", ""}] += value;
      if (name == "tilth_commands_waiting") figures_[{"commandsWaiting", of}] = value;
    }
    void counter(std::string_view, std::string_view, MetricLabels, double) override {}

   private:
    Figures& figures_;
  };
  Figures figures;
  OfInterest samples(figures);
  watch->tell(samples);
  for (std::size_t hundreds = 2; hundreds < answers.size(); ++hundreds) {
    figures[{"requests", std::to_string(hundreds) + "xx"}] =
        static_cast<double>(answers.at(hundreds));
  }
  if (const auto found = footprint()) {
    figures[{"memoryBytes", ""}] = found->resident_bytes;
    figures[{"cpuSeconds", ""}] = found->cpu_seconds;
    figures[{"openFiles", ""}] = found->open_files;
    figures[{"mostFiles", ""}] = found->most_files;
  }
  std::error_code unknown;
  const auto disk = std::filesystem::space(config.data, unknown);
  if (!unknown) {
    figures[{"diskBytes", ""}] = static_cast<double>(disk.capacity);
    figures[{"diskFreeBytes", ""}] = static_cast<double>(disk.available);
  }
  return figures;
}

// What the databases hold is bounded; whatever else grows for days is a leak.
void Service::Parts::tell_memory(Samples& to) const {
  const auto tell = [&](std::string_view database, const RocksMemory::Held& held) {
    const auto part = [&](std::string_view name, std::size_t bytes) {
      to.gauge("tilth_database_memory_bytes", "Memory that databases hold, for what they use it.",
               {{"database", std::string(database)}, {"part", std::string(name)}},
               static_cast<double>(bytes));
    };
    part("cache", held.cache_bytes), part("writes", held.write_bytes);
  };
  tell("rows", memory.held());
  if (logs.memory) tell("log", logs.memory->held());
  tell_heap(to);
}

// What was refused to protect other owners.
void Service::Parts::tell_limits(Samples& to) {
  const auto count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    to.counter(name, help, {}, static_cast<double>(value));
  };
  count("tilth_changes_over_bytes_total",
        "Changes that were refused since their owner's plan has bytes_per_hour.",
        byte_quota.refused());
  count("tilth_sign_ins_refused_total", "Sign-ins that found no place among those that wait.",
        public_surface->sign_ins_refused());
  const auto batches = public_surface->batches();
  const auto in_batches = [&](std::string_view outcome, std::uint64_t value) {
    to.counter("tilth_batch_requests_total", "Requests that came in batches, by their outcome.",
               {{"outcome", std::string(outcome)}}, static_cast<double>(value));
  };
  in_batches("succeeded", batches.succeeded);
  in_batches("failed", batches.failed);
  in_batches("not_attempted", batches.not_attempted);
  count("tilth_batches_total", "Batches that were begun.", batches.batches);
  to.gauge("tilth_batches_running", "Batches that are being carried out.", {},
           static_cast<double>(batches.running));
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

Status Service::Parts::listen() {
  const auto answered = [this](const Answered& answer) { on_answered(answer); };
  const auto counted = [this](const Answered& answer) {
    ++answers.at(std::clamp<std::size_t>(static_cast<std::size_t>(answer.status / 100), 0, 5));
    on_answered(answer);
  };
  open_eraser();
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
                           .webhooks = *webhooks,
                           .eraser = *eraser,
                           .elsewhere = passing_on.get()});
  watch = std::make_unique<ServiceWatch>(*log, clock, projections.watched(),
                                         [this] { return ready.load(); });
  metrics.add_source([this](Samples& to) { watch->tell(to), tell_limits(to); });
  if (logs.embedded != nullptr) {
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
    metrics.add_source(
        [this](Samples& to) { log_check->tell(to), archive->tell(to), last_backup.tell(to); });
  }
  backup = std::make_unique<NodeBackup>(
      NodeBackup::Parts{.rows = [this] { return backed_up_rows(); },
                        .logs = logs,
                        .usage = usage->store(),
                        .directory = directory,
                        .aside = config.data / "backup-aside",
                        .clock = clock,
                        .goes_on = [this] { return !stopping; },
                        .on_made = [this] { last_backup.succeeded(clock.now(), log_lines); }});
  audit = std::make_unique<AuditTrail>(AuditTrail::Parts{
      access->of(kAccessStream), ids, [this] { return ready.load(); },
      [this](const auto& entry, auto not_stored) { tell_deed(entry, not_stored, log_lines); }});
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
  metrics.add_source([this](Samples& to) { work.tell(to), tell_disk_space(config.data, to); });
  metrics.add_source([this](Samples& to) { client_memory.tell(to), tell_memory(to); });

  auto options = server_options(config.listen, Listener::kApi);
  options.max_body_bytes = static_cast<std::size_t>(config.limits.max_body_bytes);
  const auto hardware = std::max(1U, std::thread::hardware_concurrency());
  options.workers = static_cast<int>(config.http.threads > 0 ? config.http.threads : hardware);
  const auto traced = [this](Dispatcher::Parts of) {
    if (tracer) of.begin_span = [this](std::string_view parent) { return tracer->begin(parent); };
    return of;
  };
  auto of_clients = traced(public_surface->dispatcher_parts(counted));
  of_clients.elsewhere = passing_on.get();
  auto opened =
      HttpListener::open(std::move(options), std::move(of_clients), public_surface->routes());
  if (!opened) return opened.error();
  listener = std::move(*opened);

  auto for_operators = server_options(config.operator_listen, Listener::kOperator);
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

// Of a cluster whose nodes divide the land among them: what is held here, and the way to the rest.
Status Service::Parts::open_share() {
  const auto& cluster = config.cluster;
  if (cluster.copies == 0) return kDone;
  if (cluster.secret_file.empty()) {
    peer_secret.emplace(logs.key_secret);
  } else {
    auto secret = PeerSecret::read(cluster.secret_file, log_lines);
    if (!secret) return secret.error();
    peer_secret.emplace(std::move(*secret));
  }
  land_share = std::make_unique<LandShare>(
      LandShare::Parts{.access = access->of(kAccessStream),
                       .registry = *registry,
                       .finance = *finance,
                       .market = *market,
                       .index = history->index(),
                       .log = *logs.decided,
                       .layout = division_of(config, *log).layout_of(*log),
                       .copies = static_cast<int>(cluster.copies),
                       .nodes = [this] { return with_reach(membership->heard()); },
                       .hears = [this] { return membership->hears(); },
                       .announcements_heard = [this] { return membership->announcements_heard(); },
                       .announce = [this] { membership->announce_soon(); },
                       .on_first_changed = [this] { webhooks->send_for_others(); },
                       .log_lines = log_lines});
  peer_client = std::make_unique<PeerClient>(PeerClient::Parts{.secret = *peer_secret,
                                                               .cluster = config.topic,
                                                               .node = directory.node(),
                                                               .log_lines = log_lines});
  passing_on = std::make_unique<PassingOn>(PassingOn::Parts{.share = *land_share,
                                                            .peers = *peer_client,
                                                            .access = access->of(kAccessStream),
                                                            .registry = registry->cells(),
                                                            .log = *log,
                                                            .log_lines = log_lines});
  metrics.add_source(
      [this](Samples& to) { land_share->tell(to), passing_on->tell(to), peer_client->tell(to); });
  metrics.add_source([this](Samples& to) {
    const auto unreached = [](const auto& node) { return !node.reached; };
    to.gauge(
        "tilth_peers_unreached", "Live nodes to which this node can pass nothing on.", {},
        static_cast<double>(std::ranges::count_if(with_reach(membership->heard()), unreached)));
  });
  return kDone;
}

Status Service::Parts::listen_to_peers() {
  if (!land_share) return kDone;
  passed_on =
      std::make_unique<PassedOnRequests>(listener->dispatcher(), [this] { return drain_self(); });
  auto started = PeerServer::start({.at = *config.cluster.listen,
                                    .secret = *peer_secret,
                                    .cluster = config.topic,
                                    .node = directory.node(),
                                    .handler = *passed_on,
                                    .log_lines = log_lines,
                                    .most_body_bytes = kPassedOnBody,
                                    .memory = client_memory.of(Listener::kApi)});
  if (!started) return started.error();
  peer_server = std::move(*started);
  metrics.add_source([this](Samples& to) { peer_server->tell(to); });
  return kDone;
}

Status Service::Parts::holds(const std::string& user) const {
  if (land_share->is_here(user)) return kDone;
  const auto with = land_share->others_with(user);
  std::string ask;
  for (const auto& node : membership->heard()) {
    if (std::ranges::find(with, node.peer_address) == with.end()) continue;
    ask += (ask.empty() ? "" : ", ") + node.operator_address;
  }
  return Error{ErrorCode::kConflict,
               ask.empty() ? "No live node holds the land of this user at the moment."
                           : "Other nodes hold the land of this user. Ask one of them: " + ask};
}

Status Service::Parts::drain_self() {
  if (!ready) return not_ready();
  const auto takes = [](const NodeStanding& other) {
    return !other.self && other.state == NodeState::kLive && !other.draining &&
           !other.peer_address.empty();
  };
  if (std::ranges::none_of(membership->heard(), takes)) {
    return Error{ErrorCode::kConflict, "There is no other node that could take what it holds."};
  }
  land_share->drain();
  return kDone;
}

void Service::Parts::drain(const std::string& node, std::function<void(const Status&)> done) {
  if (node == directory.node()) return done(drain_self());
  for (const auto& other : membership->heard()) {
    if (other.node != node || other.state != NodeState::kLive) continue;
    if (other.peer_address.empty()) {
      return done(Error{ErrorCode::kConflict,
                        "That node holds everything, since its cluster.copies is 0: stop it."});
    }
    return ask_to_drain(*peer_client, other.peer_address, std::move(done));
  }
  done(Error{ErrorCode::kNotFound, "There is no live node with that id."});
}

Status Service::Parts::join_cluster() {
  if (!logs.shared()) return kDone;
  membership = std::make_unique<Membership>(
      Membership::Parts{*logs.nodes, clock, ids, log_lines, [this] { return describe(); }});
  metrics.add_source([this](Samples& to) { membership->tell(to); });
  return kDone;
}

// What the other nodes are told: it has read a partition as far as all its read models have.
Announcement Service::Parts::describe() const {
  const auto& advertised = config.advertise;
  Announcement said{.node = directory.node(),
                    .at = clock.now(),
                    .version = release(),
                    .address = advertised ? advertised->text() : listener->address(),
                    .operator_address = operator_listener->address(),
                    .roles = names_of(config.roles),
                    .started_at = started_at,
                    .ready = ready};
  ReadByAll read;
  for (const auto* projection : projections.operated()) {
    read.add(projection->standing().progress.next);
  }
  if (land_share) {
    const auto& reached_at = config.cluster.advertise;
    said.holds = land_share->announced(read.positions());
    said.peer_address = reached_at ? reached_at->text() : peer_server->address();
    said.copies = config.cluster.copies;
    said.draining = land_share->draining();
    return said;
  }
  for (const auto& [partition, next] : read.positions()) said.holds.push_back({partition, next});
  return said;
}

// With what this node knows of its way to the others that may hold land.
std::vector<NodeStanding> Service::Parts::with_reach(std::vector<NodeStanding> nodes) const {
  if (!peer_client) return nodes;
  for (auto& node : nodes) {
    if (node.self || node.state != NodeState::kLive || node.peer_address.empty()) continue;
    auto reach = peer_client->reach(node.peer_address);
    node.reached = reach.connected;
    node.unreached_because = std::move(reach.why_not);
  }
  return nodes;
}

std::vector<NodeStanding> Service::Parts::nodes() const {
  if (membership) return with_reach(membership->standing());
  const auto now = ClusterView::Steady::now();
  return ClusterView({}, now).standing(describe(), now);
}

Status Service::Parts::give_library(bool log_is_empty) {
  if (config.no_library || !config.roles.command) return kDone;
  const auto now = clock.now();
  const LibraryImport import{registry->cells(), registry->of(kReferenceStream).projector(), now,
                             "tilth", ids.uuid(now).text()};
  return give_shipped_library(import, log_is_empty, directory.library_mark(), log_lines);
}

// Waits until this node may trust a key, unless its knowledge of keys has stopped.
Status Service::Parts::hear_others(const std::function<bool()>& stop_asked) {
  if (!lease) return kDone;
  return wait_until(
      [this] { return lease->holds() || access->of(kAccessStream).projector().is_halted(); },
      stop_asked);
}

// Others pass requests on only to nodes that have said that they are ready.
Status Service::Parts::tell_others(const std::function<bool()>& stop_asked) {
  if (!land_share) return kDone;
  membership->announce_soon();
  return wait_until([this] { return membership->has_said_ready(); }, stop_asked);
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
  if (p->land_share) {
    if (const auto begun = p->land_share->begin(stop_asked); !begun) return begun.error();
  }
  const auto caught_up = p->projections.catch_up(*ends, stop_asked);
  if (!caught_up) return caught_up.error();
  if (p->land_share) p->land_share->follow();
  if (const auto heard = p->hear_others(stop_asked); !heard) return heard.error();
  const bool empty =
      std::all_of(ends->begin(), ends->end(), [](const auto& end) { return end.offset == 0; });
  if (const auto given = p->give_library(empty); !given) return given.error();
  if (p->clock_loop) p->clock_loop->begin(5s), p->rate_fetcher->begin();
  p->webhooks->begin();
  p->eraser->begin();
  p->ready = true;
  if (const auto told = p->tell_others(stop_asked); !told) return told.error();
  p->audit->append_waiting();
  p->listener->set_ready();
  return kDone;
}

std::string Service::address() const { return parts_->listener->address(); }
std::string Service::operator_address() const { return parts_->operator_listener->address(); }

// Stops callers before what they call; connections stay until every possible response is sent.
void Service::stop() {
  auto* p = parts_.get();
  p->stopping = true;
  if (p->logs.archives.cache) p->logs.archives.cache->end();  // threads may wait for it
  if (p->webhooks) p->webhooks->end_tests();  // they may take longer than the listener waits
  // Another node sends as soon as this one says that it leaves.
  if (p->land_share && p->webhooks) p->webhooks->stop();
  if (p->membership) p->membership->stop();
  if (p->land_share) p->land_share->stop();
  p->work.close();
  if (p->listener) p->listener->drain(6s);
  if (p->peer_server) p->peer_server->drain(2s);
  if (p->operator_listener) p->operator_listener->drain(1s);
  if (p->clock_loop) p->clock_loop->stop();
  if (p->rate_fetcher) p->rate_fetcher->stop();
  if (p->log_check) p->log_check->stop();
  if (p->logs.shared_keys != nullptr) p->logs.shared_keys->on_destroyed({});
  if (p->eraser) p->eraser->stop();
  p->trend_recorder.reset();
  if (p->webhooks) p->webhooks->stop();
  p->projections.stop();
  if (p->public_surface) p->public_surface->stop();
  p->work.stop();
  if (p->peer_client) p->peer_client->stop();
  if (p->peer_server) p->peer_server->stop();
  if (p->listener) p->listener->close();
  if (p->operator_listener) p->operator_listener->close();
  if (p->history) p->history->stop();
  if (p->usage) p->usage->stop();
  if (p->exporter) p->exporter->stop();
}

}  // namespace tilth
