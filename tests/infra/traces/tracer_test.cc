#include "infra/traces/tracer.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "infra/system/random.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c", kSpan = "b7ad6b7169203331";
const std::string kSampled = "00-" + kTrace + "-" + kSpan + "-01",
                  kUnsampled = "00-" + kTrace + "-" + kSpan + "-00";

TEST(Tracer, ContinuesTheTraceOfACallerThatSamples) {
  const Tracer tracer(0, fill_random);
  const auto span = tracer.begin(kSampled);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->self.trace_id, kTrace);
  EXPECT_EQ(span->parent_id, kSpan);
  EXPECT_NE(span->self.span_id, kSpan);
  EXPECT_TRUE(Traceparent::parse(span->self.text())->sampled);
}

TEST(Tracer, LeavesATraceThatItsCallerDoesNotSample) {
  EXPECT_EQ(Tracer(1, fill_random).begin(kUnsampled), nullptr);
}

TEST(Tracer, BeginsATraceOfItsOwnForAShareOfTheOthers) {
  const auto begun = [](double share) {
    const Tracer tracer(share, fill_random);
    std::set<std::string> traces;
    for (int i = 0; i < 10'000; ++i) {
      const auto span = tracer.begin("");
      if (!span) continue;
      EXPECT_EQ(span->parent_id, "");
      EXPECT_TRUE(Traceparent::parse(span->self.text())) << span->self.text();
      traces.insert(span->self.trace_id);
    }
    return traces.size();
  };
  EXPECT_EQ(begun(0), 0U);
  EXPECT_EQ(begun(1), 10'000U);
  EXPECT_GT(begun(0.1), 700U);  // 30 is the standard deviation
  EXPECT_LT(begun(0.1), 1'300U);
}

TEST(Tracer, NeverNamesATraceByZeros) {
  int calls = 0;
  const Tracer tracer(1, [&](std::uint8_t* bytes, std::size_t count) {
    std::fill(bytes, bytes + count, std::uint8_t(calls++ % 2 == 0 ? 0 : 7));
  });
  EXPECT_TRUE(Traceparent::parse(tracer.begin("")->self.text()));
}

TEST(Tracer, MakesSpansOfTheRequestAndItsParts) {
  const Tracer tracer(1, fill_random);
  const auto span = tracer.begin(kSampled);
  span->command.begin_deciding();
  span->command.end_deciding();
  span->command.begin_appending();
  span->command.end_appending();
  span->command.complete();
  const auto spans = tracer.end({.method = "PUT",
                                 .route = "/api/v1/farms/{id}",
                                 .status = 200,
                                 .took = std::chrono::steady_clock::now() - span->began,
                                 .span = span.get()});
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].span_id, span->self.span_id);
  EXPECT_EQ(spans[0].parent_id, kSpan);
  EXPECT_EQ(spans[0].method, "PUT");
  EXPECT_EQ(spans[0].route, "/api/v1/farms/{id}");
  EXPECT_EQ(spans[0].status, 200);
  const std::vector<std::string> names = {spans[1].name, spans[2].name, spans[3].name};
  EXPECT_EQ(names, (std::vector<std::string>{"decide", "append", "project"}));
  std::set<std::string> ids;
  for (const auto& each : spans) {
    EXPECT_EQ(each.trace_id, kTrace);
    EXPECT_LE(each.began, each.ended);
    EXPECT_LE(spans[0].began, each.began);
    EXPECT_LE(each.ended, spans[0].ended);
    ids.insert(each.span_id);
    if (&each != &spans[0]) {
      EXPECT_EQ(each.parent_id, span->self.span_id);
      EXPECT_FALSE(each.is_request());
    }
  }
  EXPECT_EQ(ids.size(), 4U);
}

TEST(Tracer, MakesOneSpanOfARequestThatChangesNothing) {
  const Tracer tracer(1, fill_random);
  const auto span = tracer.begin("");
  EXPECT_EQ(tracer.end({.method = "GET", .route = "", .status = 404, .span = span.get()}).size(),
            1U);
  EXPECT_TRUE(tracer.end({.method = "GET", .route = "", .status = 404}).empty());
}

TEST(Tracer, NamesTheRouteWithItsMount) {
  const Tracer tracer(1, fill_random);
  const auto span = tracer.begin("");
  const auto route = [&](std::string_view path, std::string_view pattern) {
    return tracer
        .end({.method = "GET", .route = pattern, .status = 200, .path = path, .span = span.get()})
        .front()
        .route;
  };
  EXPECT_EQ(route("/api/v1/farms/f1/fields", "/farms/{id}/fields"), "/api/v1/farms/{id}/fields");
  EXPECT_EQ(route("/operator/v1/users", "/operator/v1/users"), "/operator/v1/users");
  EXPECT_EQ(route("/", "/"), "/");
  EXPECT_EQ(route("/%61pi/v1/farms", "/farms"), "/farms");
  EXPECT_EQ(route("/api/v1/none", ""), "");
}

TEST(CommandTimes, EndAnAppendAtTheLatestWhenItsRecordIsRead) {
  CommandTimes times;
  EXPECT_EQ(times.appending().begun, CommandTimes::Instant());
  times.begin_appending();
  times.complete();
  EXPECT_EQ(times.appending().ended, times.projecting().ended);
  times.end_appending();  // the log reports it later than the reader does
  EXPECT_EQ(times.appending().ended, times.projecting().ended);
}

}  // namespace
}  // namespace tilth::testing
