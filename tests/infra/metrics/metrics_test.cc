#include "infra/metrics/metrics.h"

#include <cstring>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/http/exchange.h"
#include "infra/metrics/disk_space.h"
#include "infra/metrics/heap.h"
#include "infra/metrics/service_watch.h"

// jemalloc, whose counts change once it is told to count.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* value,
                       std::size_t) {
  static std::size_t counts = 0;
  if (value != nullptr) return ++counts, 0;
  const std::string_view asked = name;
  const std::size_t found = asked == "stats.allocated"  ? 1'000 + counts
                            : asked == "stats.resident" ? 2'001 + counts
                                                        : 0;
  if (found == 0 || *old_size != sizeof found) return 1;
  std::memcpy(old, &found, sizeof found);
  return 0;
}

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

class StandingClock final : public Clock {
 public:
  Timestamp now() const override { return kNoon; }
};

// The value of a sample as it is written, or "absent".
std::string sample(const std::string& text, const std::string& series) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
  }
  return "absent";
}

// Refuses what a strict parser of the text format would: samples of unknown families or in two
// places, invalid names, repeated series, decreasing buckets.
void expect_well_formed(const std::string& text) {
  static const std::regex kComment("# (HELP|TYPE) ([a-z_]+) (.+)");
  static const std::regex kSample(R"(([a-z_]+)(\{([a-z_]+="[^"\\\n]*",?)*\})? ([0-9.e+-]+|\+Inf))");
  std::set<std::string> families, series;
  std::map<std::string, std::string> types;
  std::string family;
  double bucket = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, kComment)) {
      if (found[1] == "HELP") {
        family = found[2];
        EXPECT_TRUE(families.insert(family).second) << "in two places: " << line;
      } else {
        EXPECT_EQ(found[2], family);
        types[family] = found[3];
        EXPECT_EQ(found[3] == "counter", family.ends_with("_total")) << line;
      }
      continue;
    }
    ASSERT_TRUE(std::regex_match(line, found, kSample)) << line;
    const std::string name = found[1];
    const bool histogram = types[family] == "histogram";
    EXPECT_TRUE(name == family ||
                (histogram && (name == family + "_bucket" || name == family + "_sum" ||
                               name == family + "_count")))
        << line;
    EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << "twice: " << line;
    const double value = std::stod(found[4]);
    if (name.ends_with("_bucket")) {
      EXPECT_GE(value, bucket) << line;
      bucket = line.find("le=\"+Inf\"") == line.npos ? value : 0;
    }
  }
  EXPECT_EQ(types.size(), families.size());
}

Answered answered(std::string_view method, std::string_view route, int status,
                  std::chrono::nanoseconds took = 1ms) {
  return {.method = method, .route = route, .status = status, .took = took};
}

TEST(Metrics, TellsOfEachAnswerByMethodRouteAndStatus) {
  Metrics metrics("1.2.3");
  metrics.answered(answered("GET", "/farms/{id}", 200, 3ms));
  metrics.answered(answered("GET", "/farms/{id}", 200, 40ms));
  metrics.answered(answered("GET", "/farms/{id}", 404, 30s));
  metrics.answered(answered("POST", "/farms", 201));
  metrics.answered(answered("GET", "", 404));
  const auto text = metrics.text();
  expect_well_formed(text);
  const std::string requests = "tilth_http_requests_total";
  EXPECT_EQ(sample(text, requests + R"({method="GET",route="/farms/{id}",status="200"})"), "2");
  EXPECT_EQ(sample(text, requests + R"({method="GET",route="/farms/{id}",status="404"})"), "1");
  EXPECT_EQ(sample(text, requests + R"({method="POST",route="/farms",status="201"})"), "1");
  EXPECT_EQ(sample(text, requests + R"({method="GET",route="none",status="404"})"), "1");
  const std::string took = "tilth_http_request_duration_seconds";
  EXPECT_EQ(sample(text, took + R"(_count{method="GET",route="/farms/{id}"})"), "3");
  EXPECT_EQ(sample(text, took + R"(_bucket{method="GET",route="/farms/{id}",le="0.0025"})"), "0");
  EXPECT_EQ(sample(text, took + R"(_bucket{method="GET",route="/farms/{id}",le="0.005"})"), "1");
  EXPECT_EQ(sample(text, took + R"(_bucket{method="GET",route="/farms/{id}",le="0.05"})"), "2");
  EXPECT_EQ(sample(text, took + R"(_bucket{method="GET",route="/farms/{id}",le="5"})"), "2");
  EXPECT_EQ(sample(text, took + R"(_bucket{method="GET",route="/farms/{id}",le="+Inf"})"), "3");
  EXPECT_EQ(sample(text, R"(tilth_build_info{version="1.2.3"})"), "1");
}

TEST(Metrics, AMethodThatIsNoneIsNotRepeated) {
  Metrics metrics("1");
  metrics.answered(answered("BREW\"\n", "/farms", 405));
  metrics.answered(answered("", "/farms", 405));
  const auto text = metrics.text();
  expect_well_formed(text);
  EXPECT_EQ(
      sample(text, R"(tilth_http_requests_total{method="other",route="/farms",status="405"})"),
      "2");
}

TEST(Metrics, HoldsABoundedNumberOfSeriesAndLosesNoAnswer) {
  Metrics metrics("1");
  constexpr int kRoutes = 10'000;
  for (int i = 0; i < kRoutes; ++i) metrics.answered(answered("GET", std::to_string(i), 200));
  std::istringstream lines(metrics.text());
  int series = 0;
  double answers = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("tilth_http_requests_total{")) continue;
    ++series;
    answers += std::stod(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_LT(series, 5'000);
  EXPECT_EQ(answers, kRoutes);
}

TEST(Metrics, CountsEveryAnswerOfSeveralThreads) {
  Metrics metrics("1");
  constexpr int kThreads = 4, kEach = 5'000;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < kEach; ++i) {
        metrics.answered(answered("GET", "/route" + std::to_string(i % 50), 200 + i % 2));
        if (i % 1'000 == 0) expect_well_formed(metrics.text());
      }
    });
  }
  threads.clear();
  const auto text = metrics.text();
  for (int route = 0; route < 50; ++route) {
    const auto series = R"(tilth_http_request_duration_seconds_count{method="GET",route="/route)" +
                        std::to_string(route) + "\"}";
    EXPECT_EQ(sample(text, series), std::to_string(kThreads * kEach / 50));
  }
}

class IgnoringResponder final : public Responder {
 public:
  void respond(HttpResponse) override {}
  std::unique_ptr<BodyStream> stream(HttpResponse) override { return nullptr; }
};

TEST(Metrics, ARefusalTellsWhoseLimitIsUsedUpAndAReplayThatItIsOne) {
  Metrics metrics("1");
  const auto exchange = [&metrics] {
    return std::make_unique<Exchange>(HttpRequest{}, std::make_unique<IgnoringResponder>(), "id",
                                      [&metrics](const Answered& each) { metrics.answered(each); });
  };
  for (const auto by : {RatedBy::kUser, RatedBy::kKey, RatedBy::kKey, RatedBy::kAddress}) {
    const auto refused = exchange();
    const RateVerdict verdict{.allowed = false, .limit = 1, .retry_after_seconds = 1, .by = by};
    refused->set_rate(verdict);
    refused->answer(rate_refusal(verdict));
  }
  const auto replayed = exchange();
  replayed->set_rate(RateVerdict{.limit = 5, .remaining = 4});
  replayed->set_replayed();
  replayed->answer(HttpResponse{201, {}, {}});
  exchange()->answer(HttpResponse{200, {}, {}});
  const auto text = metrics.text();
  EXPECT_EQ(sample(text, R"(tilth_rate_limited_requests_total{limit="user"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_rate_limited_requests_total{limit="key"})"), "2");
  EXPECT_EQ(sample(text, R"(tilth_rate_limited_requests_total{limit="address"})"), "1");
  EXPECT_EQ(sample(text, "tilth_idempotent_replays_total"), "1");
}

TEST(Metrics, TellsOfConnectionsAndOfTheLog) {
  Metrics metrics("1");
  metrics.connections(Listener::kApi, 7);
  metrics.connections(Listener::kApi, 6);
  metrics.connections(Listener::kOperator, 1);
  metrics.evicted(Listener::kApi);
  metrics.turned_away(Listener::kOperator);
  metrics.rested(Listener::kApi);
  metrics.protocol_error(400);
  metrics.protocol_error(431);
  metrics.protocol_error(400);
  for (int i = 0; i < 3; ++i) metrics.appended(false);
  metrics.appended(true);
  metrics.group_synced(2, 2ms);
  metrics.group_synced(1, 300us);
  const auto text = metrics.text();
  expect_well_formed(text);
  EXPECT_EQ(sample(text, R"(tilth_http_connections{listener="api"})"), "6");
  EXPECT_EQ(sample(text, R"(tilth_http_connections{listener="operator"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_http_evicted_connections_total{listener="api"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_http_turned_away_connections_total{listener="operator"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_http_rests_total{listener="api"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_http_protocol_errors_total{status="400"})"), "2");
  EXPECT_EQ(sample(text, R"(tilth_http_protocol_errors_total{status="431"})"), "1");
  EXPECT_EQ(sample(text, "tilth_log_appends_total"), "3");
  EXPECT_EQ(sample(text, "tilth_log_stale_appends_total"), "1");
  EXPECT_EQ(sample(text, "tilth_log_group_records_sum"), "3");
  EXPECT_EQ(sample(text, R"(tilth_log_group_records_bucket{le="1"})"), "1");
  EXPECT_EQ(sample(text, R"(tilth_log_sync_duration_seconds_bucket{le="0.0005"})"), "1");
  EXPECT_EQ(sample(text, "tilth_log_sync_duration_seconds_count"), "2");
}

TEST(Metrics, AsksItsGaugesEachTimeItIsAsked) {
  Metrics metrics("1");
  double level = 1;
  metrics.add_gauge("tilth_water_level", "How high it stands.", {{"tank", "a"}},
                    [&level] { return level; });
  metrics.add_gauge("tilth_water_level", "How high it stands.", {{"tank", "b"}}, [] { return 9; });
  EXPECT_EQ(sample(metrics.text(), R"(tilth_water_level{tank="a"})"), "1");
  level = 2.5;
  const auto text = metrics.text();
  expect_well_formed(text);
  EXPECT_EQ(sample(text, R"(tilth_water_level{tank="a"})"), "2.5");
  EXPECT_EQ(sample(text, R"(tilth_water_level{tank="b"})"), "9");
}

TEST(Metrics, TellsWhatTheProgramTakesOfItsMachine) {
  const auto text = Metrics("1").text();
  for (const auto* name :
       {"process_cpu_seconds_total", "process_start_time_seconds", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_threads", "process_open_fds", "process_max_fds"}) {
    const auto value = sample(text, name);
    ASSERT_NE(value, "absent") << name;
    EXPECT_GE(std::stod(value), 0) << name;
  }
  EXPECT_GE(std::stod(sample(text, "process_open_fds")), 3);
  EXPECT_GT(std::stod(sample(text, "process_start_time_seconds")), 1.7e9);
}

// A log that does not report its end.
class SilentLog final : public EventLog {
 public:
  explicit SilentLog(bool answers) : answers_(answers) {}
  void append(Record, OnAppended) override {}
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>&) override {
    return Error{ErrorCode::kUnavailable, "It is silent."};
  }
  void end(int, OnEnd done) override {
    if (answers_) done(Error{ErrorCode::kUnavailable, "It is silent."});
  }
  int partitions() const override { return 1; }

 private:
  const bool answers_;
};

// A log of one partition that ends at 10.
class TenRecords final : public EventLog {
 public:
  void append(Record, OnAppended) override {}
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>&) override {
    return Error{ErrorCode::kUnavailable, "No one reads it."};
  }
  void end(int, OnEnd done) override { done(std::int64_t{10}); }
  int partitions() const override { return 1; }
};

std::string watched(ServiceWatch& watch) {
  Metrics metrics("1");
  metrics.add_source([&watch](Samples& to) { watch.report(to, 1ms); });
  auto text = metrics.text();
  expect_well_formed(text);
  return text;
}

TEST(ServiceWatch, TellsHowFarEachProjectionHasCome) {
  TenRecords log;
  const StandingClock clock;
  ProjectionProgress behind{
      ProjectionState::kCatchingUp, "", {{0, 4}}, Timestamp{kNoon.at - 90s}, 4};
  ServiceWatch watch(log, clock,
                     {{"registry", [&] { return ProjectionStanding{.progress = behind}; },
                       [] { return std::size_t{3}; }},
                      {"market", [] {
                         return ProjectionStanding{
                             .progress = {ProjectionState::kRunning, "", {{0, 10}}, kNoon, 10}};
                       }}});
  auto text = watched(watch);
  EXPECT_EQ(sample(text, R"(tilth_log_end_offset{partition="0"})"), "10");
  EXPECT_EQ(sample(text, R"(tilth_projection_lag_events{projection="registry"})"), "6");
  EXPECT_EQ(sample(text, R"(tilth_projection_lag_seconds{projection="registry"})"), "90");
  EXPECT_EQ(sample(text, R"(tilth_projection_lag_events{projection="market"})"), "0");
  EXPECT_EQ(sample(text, R"(tilth_projection_lag_seconds{projection="market"})"), "0");
  EXPECT_EQ(sample(text, R"(tilth_projection_folded_events_total{projection="registry"})"), "4");
  EXPECT_EQ(sample(text, R"(tilth_commands_waiting{projection="registry"})"), "3");
  EXPECT_EQ(sample(text, R"(tilth_commands_waiting{projection="market"})"), "absent");
  EXPECT_EQ(sample(text, R"(tilth_projection_state{projection="registry",state="catching_up"})"),
            "1");
  EXPECT_EQ(sample(text, R"(tilth_projection_state{projection="registry",state="running"})"), "0");
  EXPECT_EQ(sample(text, R"(tilth_projection_state{projection="market",state="running"})"), "1");
  EXPECT_EQ(sample(text, "tilth_ready"), "1") << "behind is not stopped";
  EXPECT_EQ(sample(text, "tilth_log_writable"), "1");
}

TEST(ServiceWatch, TellsWhetherTheServiceIsReady) {
  TenRecords log;
  const StandingClock clock;
  bool begun = false;
  ProjectionStanding standing{
      .progress = {ProjectionState::kRunning, "", {{0, 10}}, kNoon, 10},
      .building = BuildingGeneration{2, ProjectionState::kFaulted, {{0, 4}}, 0}};
  ServiceWatch watch(log, clock, {{"registry", [&] { return standing; }}}, [&] { return begun; });
  EXPECT_EQ(sample(watched(watch), "tilth_ready"), "0");
  begun = true;
  const auto text = watched(watch);
  EXPECT_EQ(sample(text, "tilth_ready"), "1");
  EXPECT_EQ(
      sample(text, R"(tilth_projection_building_faulted{projection="registry",generation="2"})"),
      "1");
  standing.progress.state = ProjectionState::kPaused;
  EXPECT_EQ(sample(watched(watch), "tilth_ready"), "0");
}

TEST(ServiceWatch, TellsThatALogWhichIsSilentTakesNoRecords) {
  SilentLog log(true);
  const StandingClock clock;
  ServiceWatch watch(log, clock, {});
  EXPECT_EQ(sample(watched(watch), "tilth_log_writable"), "0");
  EXPECT_EQ(sample(watched(watch), "tilth_ready"), "0");
}

TEST(Heap, IsToldAsTheAllocatorCountsIt) {
  Metrics metrics("1");
  metrics.add_source([](Samples& to) { report_heap(to); });
  const auto text = metrics.text();
  EXPECT_EQ(sample(text, "tilth_heap_allocated_bytes"), "1001");
  EXPECT_EQ(sample(text, "tilth_heap_resident_bytes"), "2002");
}

TEST(DiskSpace, IsToldForADiskThatIsThere) {
  Metrics metrics("1");
  metrics.add_source([](Samples& to) { report_disk_space("/", to); });
  const auto text = metrics.text();
  EXPECT_GT(std::stod(sample(text, "tilth_disk_size_bytes")), 0);
  EXPECT_LE(std::stod(sample(text, "tilth_disk_free_bytes")),
            std::stod(sample(text, "tilth_disk_size_bytes")));
  Metrics gone("1");
  gone.add_source([](Samples& to) { report_disk_space("/no/such/place", to); });
  EXPECT_EQ(sample(gone.text(), "tilth_disk_free_bytes"), "absent");
}

TEST(ServiceWatch, TellsNoLagWhileTheLogDoesNotSayWhereItEnds) {
  for (const bool answers : {true, false}) {
    SilentLog log(answers);
    const StandingClock clock;
    ServiceWatch watch(log, clock, {{"registry", [] { return ProjectionStanding{}; }}});
    EXPECT_THAT(watched(watch),
                AllOf(Not(HasSubstr("tilth_log_end_offset")),
                      Not(HasSubstr("tilth_projection_lag")), HasSubstr("tilth_projection_state")));
  }
}

}  // namespace
}  // namespace tilth
