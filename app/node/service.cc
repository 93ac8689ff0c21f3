#include "app/node/service.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <ranges>
#include <thread>
#include <utility>

#include "api/operator/operator_api.h"
#include "api/platform/api.h"
#include "api/platform/streams.h"
#include "app/node/clock_loop.h"
#include "app/node/dashboard_service.h"
#include "app/node/history_service.h"
#include "app/node/node_backup.h"
#include "app/node/node_logs.h"
#include "app/node/node_usage.h"
#include "app/node/projection_keeper.h"
#include "app/node/rate_fetcher.h"
#include "app/node/shipped_library.h"
#include "command/work/due_rules.h"
#include "events/log/log_end.h"
#include "infra/config/settings.h"
#include "infra/http/server.h"
#include "infra/metrics/metrics.h"
#include "infra/metrics/service_watch.h"
#include "infra/node/data_directory.h"
#include "infra/node/overrides_file.h"
#include "infra/system/clock.h"
#include "infra/system/password.h"
#include "infra/system/random.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCacheBytes = 32 << 20, kWriteBytes = 24 << 20;
constexpr std::size_t kOperatorBody = 256 << 20;

WatchedProjection watched(const ProjectionKeeper& projection) {
  return {projection.name(), [&projection] { return projection.standing(); },
          [&projection] { return projection.loop().waiting(); }};
}

}  // namespace

// In the order in which they are made; destroyed in reverse.
struct Service::Parts {
  Parts(const Config& settings, const DataDirectory& own, const Clock& wall_clock, LogLines& lines)
      : config(settings), directory(own), clock(wall_clock), log_lines(lines) {}

  const Config& config;
  const DataDirectory& directory;
  const Clock& clock;
  TestClock* test_clock = nullptr;  // null: no one moves the clock
  LogLines& log_lines;
  RisingRandom random;
  IdSource ids{[this](std::uint8_t* bytes, std::size_t count) { random.fill(bytes, count); }};
  RocksMemory memory{kCacheBytes, kWriteBytes};
  Metrics metrics{TILTH_VERSION};
  NodeLogs logs;
  EventLog* log = nullptr;
  std::unique_ptr<KeyDigest> digest;
  KeyRing ring;
  RateLimiter limiter;
  std::atomic<std::uint64_t> events_of_access = 0;  // that this node has read
  std::unique_ptr<NodeUsage> usage;
  OverridesFile orders{directory.projection_overrides()};
  std::unique_ptr<ProjectionKeeper> access, registry, finance, market;
  std::vector<ProjectionKeeper*> projections;  // all, as open_projection() adds them
  std::unique_ptr<ClockLoop> clock_loop;       // null: other nodes see to it
  std::unique_ptr<RateFetcher> rate_fetcher;
  std::unique_ptr<HistoryService> history;
  std::unique_ptr<DashboardService> dashboard;
  std::unique_ptr<Api> api;
  std::unique_ptr<OperatorApi> operator_api;
  std::unique_ptr<AccessLease> lease;   // null: this node is alone; goes before those who ask it
  StreamThreads long_answers, exports;  // go before all that their threads use
  std::unique_ptr<ServiceWatch> watch;
  std::unique_ptr<HttpServer> server, operator_server;
  std::atomic<bool> ready = false;

  Status open(const std::function<bool()>& stop_asked);
  Status open_projection(std::unique_ptr<ProjectionKeeper>& projection, EventLog& from,
                         Projection which,
                         std::function<void(const Event&, const LoggedRecord&)> on_accepted = {},
                         Decide due = {});
  Status open_usage();
  Status open_history();
  Status listen();
  Status catch_up(const std::vector<Position>& ends, const std::function<bool()>& stop_asked);
  Status give_library(bool log_is_empty);
  Status hear_others(const std::function<bool()>& stop_asked);
  ApiSettings api_settings() const;
  OperatorParts operator_parts();
  Result<std::uintmax_t> copy_all(const std::filesystem::path& to);
  ServerOptions server_options(const HostPort& at);
  void on_answered(const Answered& answer);
};

Status Service::Parts::open(const std::function<bool()>& stop_asked) {
  log_lines.keep_secret(directory.operator_token());
  auto opened_logs = open_node_logs(config, directory, metrics, log_lines, stop_asked);
  if (!opened_logs) return opened_logs.error();
  logs = std::move(*opened_logs);
  log = logs.events.get();
  digest = std::make_unique<KeyDigest>(logs.key_secret);
  if (const auto read = orders.open(); !read) return read;
  const auto opened_access =
      open_projection(access, *logs.decided, tilth::access(),
                      [this](const Event& event, const LoggedRecord& logged) {
                        logs.on_access(logged);
                        ring.on_event(event);  // before others hear that it is known here
                        events_of_access = logged.record.envelope.stream_version + 1;
                      });
  if (!opened_access) return opened_access;
  const auto known = access->read_first(std::string(kAccessStream), [this](const Rows& rows) {
    ring.fill(rows), events_of_access = rows.version();
  });
  if (!known) return known;
  if (const auto done = open_usage(); !done) return done;
  const auto opened_registry = open_projection(
      registry, *logs.decided, tilth::registry(),
      [this](const Event& event, const LoggedRecord& logged) {
        if (history) history->bell().ring(logged.record.stream);
        if (!clock_loop) return;
        if (const auto visit = visit_after(logged.record.stream, event)) clock_loop->visit(*visit);
        if (may_bring_forward(event)) clock_loop->wake();
      },
      decide_due);
  if (!opened_registry) return opened_registry;
  if (const auto done = open_projection(finance, *logs.followed, tilth::finance()); !done)
    return done;
  if (const auto done = open_projection(market, *logs.followed, tilth::market()); !done)
    return done;
  const ClockLoop::Parts of_clock{registry->loop(), clock, ids, log_lines};
  if (config.roles.clock) clock_loop = std::make_unique<ClockLoop>(of_clock);
  rate_fetcher = std::make_unique<RateFetcher>(
      RateFetcher::Parts{config.rates, registry->loop(), clock, ids, log_lines});
  if (logs.shared()) {
    lease = std::make_unique<AccessLease>(*log, access->loop(), usage->others());
  }
  if (const auto done = open_history(); !done) return done;
  dashboard = std::make_unique<DashboardService>(
      config, DashboardService::Borrowed{access->loop(), registry->loop(), *usage, limiter, *digest,
                                         clock, ids, log_lines, lease.get()});
  return kDone;
}

Status Service::Parts::open_history() {
  auto opened = HistoryService::open({config, memory, *logs.decided, *logs.followed, clock, *digest,
                                      ring, log_lines, orders, lease.get()});
  if (!opened) return opened.error();
  history = std::move(*opened);
  return kDone;
}

Status Service::Parts::open_projection(
    std::unique_ptr<ProjectionKeeper>& projection, EventLog& from, Projection which,
    std::function<void(const Event&, const LoggedRecord&)> on_accepted, Decide due) {
  auto opened = ProjectionKeeper::open(
      {from, config.data / "views", memory, orders, clock, log_lines}, std::move(which),
      CommandLoop::Sources{.node = "tilth://" + directory.node(),
                           .now = [this] { return clock.now(); },
                           .new_id = [this] { return ids.uuid(clock.now()); },
                           .on_accepted = std::move(on_accepted),
                           .on_append = [this](bool stale) { metrics.appended(stale); },
                           .due = std::move(due)});
  if (!opened) return opened.error();
  projection = std::move(*opened);
  projections.push_back(projection.get());
  return kDone;
}

Status Service::Parts::open_usage() {
  auto opened = NodeUsage::open({config.data / "usage", memory, limiter, *digest, clock, ids,
                                 directory.node(), logs.usage.get(), log_lines,
                                 [this] { return static_cast<std::int64_t>(events_of_access); }});
  if (!opened) return opened.error();
  usage = std::move(*opened);
  return kDone;
}

ApiSettings Service::Parts::api_settings() const {
  return {.plan = [this](const std::string& name) -> PlanLimits {
            const auto plan = config.plans.find(name);
            if (plan == config.plans.end()) return {};
            return {static_cast<std::uint64_t>(plan->second.requests_per_hour), plan->second.farms};
          },
          .unauthenticated_per_minute =
              static_cast<std::uint64_t>(config.limits.unauthenticated_per_minute),
          .trusted_proxies = config.http.trusted_proxies,
          .commands = config.roles.command,
          .queries = config.roles.query};
}

OperatorParts Service::Parts::operator_parts() {
  OperatorParts parts{
      .token = directory.operator_token(),
      .version = TILTH_VERSION,
      .node = directory.node(),
      .roles = find_setting("roles")->show(config),
      .log_kind = logs.shared() ? "kafka" : "embedded",
      .listen = [this] { return server->address(); },
      .operator_listen = [this] { return operator_server->address(); },
      .log = *log,
      .index = history->index(),
      .access = access->loop(),
      .registry = registry->loop(),
      .projections = {projections.begin(), projections.end()},
      .digest = *digest,
      .limiter = limiter,
      .clock = clock,
      .ids = ids,
      .streams = &exports,
      .plan_exists = [this](const std::string& plan) { return config.plans.contains(plan); },
      .hash_password = hash_password,
      .metrics = [this] { return metrics.text(); },
      .back_up = [this](const std::string& to) { return copy_all(to); },
      .begin_import = import_into(logs, config, [this] { return usage->alone(); }),
      .ready = [this] { return ready.load(); }};
  parts.on_answered = [this](const Answered& answer) { on_answered(answer); };
  parts.settle = [this](auto done) {
    clock_loop ? clock_loop->settle(std::move(done)) : done(kDone);
  };
  parts.fetched_rates = {[this] { return rate_fetcher->fetch(); }, config.rates.source};
  parts.lease = lease.get();
  parts.commands = config.roles.command;
  if (test_clock != nullptr) {
    parts.clock_mover = ClockMover{[this](CalendarDuration by) { return test_clock->advance(by); },
                                   [this](Timestamp to) { return test_clock->move_to(to); }};
  }
  return parts;
}

Result<std::uintmax_t> Service::Parts::copy_all(const std::filesystem::path& to) {
  std::vector<BackedUp> rows;
  for (const auto* projection : projections) rows.push_back(projection->backed_up());
  rows.push_back(history->backed_up());
  return back_up_node(to, std::move(rows), logs, usage->store(), directory);
}

// What went wrong is a line by which its request can be found; all else only while debugging.
void Service::Parts::on_answered(const Answered& answer) {
  metrics.answered(answer);
  const bool trouble = answer.status >= 500;
  if (!trouble && config.log_level != LogLevel::kDebug) return;
  log_lines.log(trouble ? LogLevel::kWarn : LogLevel::kDebug, "A request was answered.",
                {{"method", answer.method},
                 {"route", answer.route},
                 {"status", answer.status},
                 {"microseconds", answer.took.count() / 1'000},
                 {"requestId", answer.request_id}});
}

ServerOptions Service::Parts::server_options(const HostPort& at) {
  ServerOptions options;
  options.host = at.host;
  options.port = at.port;
  options.max_connections = static_cast<std::size_t>(config.http.max_connections);
  options.workers = config.http.threads > 0
                        ? static_cast<int>(config.http.threads)
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.on_protocol_error = [this](int status) { metrics.protocol_error(status); };
  options.log = [this](std::string_view line) { log_lines.warn(line); };
  return options;
}

Status Service::Parts::listen() {
  api = std::make_unique<Api>(api_settings(),
                              ApiParts{registry->loop(),
                                       ring,
                                       *digest,
                                       limiter,
                                       clock,
                                       ids,
                                       long_answers,
                                       [this](const Answered& answer) { on_answered(answer); },
                                       &dashboard->routes(),
                                       &history->own_history(),
                                       &history->as_of(),
                                       lease.get(),
                                       &access->loop().projector(),
                                       {{kFinance, &finance->loop()}, {kMarket, &market->loop()}}},
                              all_routes());
  std::vector<WatchedProjection> all_watched;
  for (const auto* projection : projections) all_watched.push_back(watched(*projection));
  watch = std::make_unique<ServiceWatch>(*log, clock, std::move(all_watched));
  metrics.add_source([this](Samples& to) { watch->tell(to); });
  operator_api = std::make_unique<OperatorApi>(operator_parts(), operator_routes());
  auto options = server_options(config.listen);
  options.max_body_bytes = static_cast<std::size_t>(config.limits.max_body_bytes);
  options.on_connections = [this](std::int64_t open) { metrics.connections(Listener::kApi, open); };
  auto started = HttpServer::start(std::move(options), *api);
  if (!started) return started.error();
  server = std::move(*started);
  auto for_operators = server_options(config.operator_listen);
  for_operators.max_body_bytes = kOperatorBody;
  for_operators.spool_directory = config.data;
  for_operators.workers = 1;
  for_operators.on_connections = [this](std::int64_t open) {
    metrics.connections(Listener::kOperator, open);
  };
  started = HttpServer::start(std::move(for_operators), *operator_api);
  if (!started) return started.error();
  operator_server = std::move(*started);
  return kDone;
}

// Until each projection has read what the log held at the start; one that stands still does not
// hold it up.
Status Service::Parts::catch_up(const std::vector<Position>& ends,
                                const std::function<bool()>& stop_asked) {
  for (const auto& [partition, end] : ends) {
    if (end == 0) continue;
    for (auto* projection : projections) {
      while (!projection->loop().projector().stands_still()) {
        if (stop_asked()) return Error{ErrorCode::kUnavailable, "Stopped while starting."};
        std::promise<bool> reached;
        projection->loop().when_reached({}, {partition, end - 1}, 200ms,
                                        [&](bool is) { reached.set_value(is); });
        if (reached.get_future().get()) break;
      }
    }
  }
  return kDone;
}

Status Service::Parts::give_library(bool log_is_empty) {
  if (config.no_library || !config.roles.command) return kDone;
  const auto now = clock.now();
  const LibraryImport import{registry->loop(), registry->loop().projector(), now, "tilth",
                             ids.uuid(now).text()};
  return give_shipped_library(import, log_is_empty, directory.library_mark(), log_lines);
}

// Until this node may believe a key, unless what it knows of keys stands still.
Status Service::Parts::hear_others(const std::function<bool()>& stop_asked) {
  while (lease && !lease->holds() && !access->loop().projector().stands_still()) {
    if (stop_asked()) return Error{ErrorCode::kUnavailable, "Stopped while starting."};
    std::this_thread::sleep_for(10ms);
  }
  return kDone;
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
  if (const auto listening = service->parts_->listen(); !listening) return listening.error();
  return service;
}

Status Service::become_ready(const std::function<bool()>& stop_asked) {
  auto* p = parts_.get();
  const auto ends = ends_of(*p->log);
  if (!ends) return ends.error();
  for (auto* projection : {p->registry.get(), p->finance.get()}) {
    if (const auto filled = projection->fill(*ends, stop_asked); !filled) return filled.error();
  }
  for (auto* projection : p->projections) projection->start();
  if (const auto caught_up = p->catch_up(*ends, stop_asked); !caught_up) return caught_up.error();
  if (const auto heard = p->hear_others(stop_asked); !heard) return heard.error();
  const bool empty =
      std::all_of(ends->begin(), ends->end(), [](const auto& end) { return end.offset == 0; });
  if (const auto given = p->give_library(empty); !given) return given.error();
  if (p->clock_loop) p->clock_loop->begin(5s), p->rate_fetcher->begin();
  p->ready = true;
  p->api->set_ready(true);
  return kDone;
}

std::string Service::address() const { return parts_->server->address(); }
std::string Service::operator_address() const { return parts_->operator_server->address(); }

void Service::stop() {
  if (parts_->server) parts_->server->drain(6s);
  if (parts_->operator_server) parts_->operator_server->drain(1s);
  if (parts_->clock_loop) parts_->clock_loop->stop();
  if (parts_->rate_fetcher) parts_->rate_fetcher->stop();
  for (auto* projection : parts_->projections | std::views::reverse) projection->stop();
  if (parts_->dashboard) parts_->dashboard->stop();
  parts_->server.reset();
  parts_->operator_server.reset();
  if (parts_->history) parts_->history->stop();
  if (parts_->usage) parts_->usage->stop();
}

}  // namespace tilth
