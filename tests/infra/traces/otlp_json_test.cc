#include "infra/traces/otlp_json.h"

#include <vector>

#include <gtest/gtest.h>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const Span::Nanoseconds kBegan(1'790'000'000'000'000'001ns);

std::string spans_of(const std::vector<Span>& spans) {
  const auto json = otlp_json({"1.2.3", "tilth-1"}, spans);
  constexpr std::string_view kBefore =
      R"({"resourceSpans":[{"resource":{"attributes":[)"
      R"({"key":"service.name","value":{"stringValue":"tilth"}},)"
      R"({"key":"service.version","value":{"stringValue":"1.2.3"}},)"
      R"({"key":"service.instance.id","value":{"stringValue":"tilth-1"}}]},)"
      R"("scopeSpans":[{"scope":{"name":"tilth","version":"1.2.3"},"spans":[)";
  constexpr std::string_view kAfter = "]}]}]}";
  EXPECT_TRUE(json.starts_with(kBefore)) << json;
  EXPECT_TRUE(json.ends_with(kAfter)) << json;
  return json.substr(kBefore.size(), json.size() - kBefore.size() - kAfter.size());
}

TEST(OtlpJson, ShowsARequestAsAServersSpan) {
  EXPECT_EQ(spans_of({{.trace_id = kTrace,
                       .span_id = "00f067aa0ba902b7",
                       .parent_id = "b7ad6b7169203331",
                       .began = kBegan,
                       .ended = kBegan + 5us,
                       .method = "POST",
                       .route = "/api/v1/farms/{id}",
                       .status = 201}}),
            R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00f067aa0ba902b7",)"
            R"("parentSpanId":"b7ad6b7169203331","name":"POST /api/v1/farms/{id}","kind":2,)"
            R"("startTimeUnixNano":"1790000000000000001","endTimeUnixNano":"1790000000000005001",)"
            R"("attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},)"
            R"({"key":"http.route","value":{"stringValue":"/api/v1/farms/{id}"}},)"
            R"({"key":"http.response.status_code","value":{"intValue":"201"}}],"status":{}})");
}

TEST(OtlpJson, CallsAFailureOfTheServiceAnError) {
  const auto shown = spans_of({{.trace_id = kTrace,
                                .span_id = "00f067aa0ba902b7",
                                .began = kBegan,
                                .ended = kBegan,
                                .method = "BREW",
                                .status = 503}});
  EXPECT_EQ(shown, R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00f067aa0ba902b7",)"
                   R"("name":"HTTP","kind":2,"startTimeUnixNano":"1790000000000000001",)"
                   R"("endTimeUnixNano":"1790000000000000001","attributes":[)"
                   R"({"key":"http.request.method","value":{"stringValue":"_OTHER"}},)"
                   R"({"key":"http.response.status_code","value":{"intValue":"503"}},)"
                   R"({"key":"error.type","value":{"stringValue":"503"}}],"status":{"code":2}})");
}

TEST(OtlpJson, ShowsAPartOfARequestAsAnInternalSpan) {
  const Span part{.trace_id = kTrace,
                  .span_id = "1",
                  .parent_id = "2",
                  .name = "append",
                  .began = kBegan,
                  .ended = kBegan};
  const std::string shown =
      R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"1","parentSpanId":"2",)"
      R"("name":"append","kind":1,"startTimeUnixNano":"1790000000000000001",)"
      R"("endTimeUnixNano":"1790000000000000001","attributes":[],"status":{}})";
  EXPECT_EQ(spans_of({part, part}), shown + "," + shown);
}

TEST(OtlpJson, ReadsHowManySpansWereRejected) {
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}})"), 3U);
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":4}})"), 4U);
  for (const auto* response :
       {"", "{}", "[]", "no json", R"({"partialSuccess":{}})", R"({"partialSuccess":null})",
        R"({"partialSuccess":{"rejectedSpans":null}})",
        R"({"partialSuccess":{"rejectedSpans":-1}})",
        R"({"partialSuccess":{"rejectedSpans":"many"}})", R"({"partialSuccess":"3"})"}) {
    EXPECT_EQ(rejected_spans(response), 0U) << response;
  }
}

}  // namespace
}  // namespace tilth::testing
