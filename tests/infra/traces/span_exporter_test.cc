#include "infra/traces/span_exporter.h"

#include <cstdio>
#include <fstream>
#include <map>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "events/json/json.h"
#include "infra/system/clock.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A collector whose responses a test says one by one.
class FakeCollector {
 public:
  Result<Fetched> take(const FetchRequest& request) {
    std::unique_lock lock(mutex_);
    requests_.push_back(request);
    changed_.notify_all();
    while (silent_ && !request.stopped->load()) changed_.wait_for(lock, 1ms);
    if (silent_) return Error{ErrorCode::kUnavailable, "It does not answer."};
    if (responses_.empty()) return Fetched{200, "{}"};
    auto response = responses_.front();
    responses_.erase(responses_.begin());
    return response;
  }
  void will_answer(Result<Fetched> response) { responses_.push_back(std::move(response)); }
  void fall_silent() { silent_ = true; }
  std::vector<FetchRequest> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.size() >= count; });
    return requests_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FetchRequest> requests_;
  std::vector<Result<Fetched>> responses_;
  bool silent_ = false;
};

class Counts final : public Samples {
 public:
  void gauge(std::string_view name, std::string_view, MetricLabels, double value) override {
    found[std::string(name)] = value;
  }
  void counter(std::string_view name, std::string_view, MetricLabels labels,
               double value) override {
    found[labels.empty() ? std::string(name) : labels.front().second] = value;
  }
  std::map<std::string, double> found;
};

class SpanExporterTest : public ::testing::Test {
 protected:
  ~SpanExporterTest() override { ::close(descriptor_); }

  void SetUp() override {
    limits_.linger = 1ms;
    limits_.first_pause = limits_.longest_pause = 1ms;
    limits_.at_stop = 10s;
  }

  SpanExporter& begin() {
    exporter_ = std::make_unique<SpanExporter>(
        Collector{"http://collector/v1/traces", {"Authorization: Bearer c"}},
        TraceResource{"1", "node"}, log_lines_, limits_,
        [this](const FetchRequest& request) { return collector_.take(request); });
    return *exporter_;
  }
  // What is counted once it has stopped.
  std::map<std::string, double> stop() {
    exporter_->stop();
    return counts();
  }
  std::map<std::string, double> counts() const {
    Counts counts;
    exporter_->report(counts);
    return counts.found;
  }
  static std::vector<Span> spans(std::size_t count) {
    return std::vector<Span>(count, Span{.trace_id = "1", .span_id = "2", .name = "append"});
  }
  static std::size_t spans_in(const FetchRequest& request) {
    std::size_t count = 0;
    for (auto at = request.form.find("traceId"); at != std::string::npos;
         at = request.form.find("traceId", at + 1)) {
      ++count;
    }
    return count;
  }
  std::string logged() const { return read_whole_file(path_)->value(); }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "log";
  int descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  SystemClock clock_;
  LogLines log_lines_{clock_, descriptor_, LogLines::Form::kJson, LogLevel::kInfo};
  SpanExporter::Limits limits_;
  FakeCollector collector_;
  std::unique_ptr<SpanExporter> exporter_;
};

TEST_F(SpanExporterTest, SendsSpansAsJsonWithItsHeaders) {
  begin().add(spans(3));
  const auto request = collector_.wait_for(1).front();
  EXPECT_EQ(request.url, "http://collector/v1/traces");
  EXPECT_THAT(request.headers,
              ElementsAre("Content-Type: application/json", "Expect:", "Authorization: Bearer c"));
  EXPECT_EQ(spans_in(request), 3U);
  EXPECT_TRUE(parse_json(request.form));
  const auto counted = stop();
  EXPECT_EQ(counted.at("tilth_trace_spans_sent_total"), 3);
  EXPECT_EQ(counted.at("tilth_trace_spans_dropped_total"), 0);
  EXPECT_EQ(logged(), "");
}

TEST_F(SpanExporterTest, SendsWhatWaitsWhenItStopsInBatches) {
  limits_.linger = 1h;
  limits_.batch = 4;
  begin().add(spans(3));
  exporter_->add(spans(6));
  EXPECT_EQ(stop().at("tilth_trace_spans_sent_total"), 9);
  std::vector<std::size_t> sizes;
  for (const auto& request : collector_.wait_for(3)) sizes.push_back(spans_in(request));
  EXPECT_THAT(sizes, ElementsAre(4, 4, 1));
  exporter_->add(spans(2));
  EXPECT_EQ(counts().at("tilth_trace_spans_dropped_total"), 2) << "it has stopped";
}

TEST_F(SpanExporterTest, SendsABatchAgainWhileTheCollectorIsUnavailable) {
  collector_.will_answer(Error{ErrorCode::kUnavailable, "It does not answer."});
  collector_.will_answer(Fetched{503, ""});
  collector_.will_answer(Fetched{429, ""});
  begin().add(spans(2));
  const auto requests = collector_.wait_for(4);
  for (const auto& each : requests) EXPECT_EQ(each.form, requests.front().form);
  const auto counted = stop();
  EXPECT_EQ(counted.at("tilth_trace_spans_sent_total"), 2);
  EXPECT_EQ(counted.at("unreachable") + counted.at("unavailable"), 0);
  EXPECT_THAT(logged(), HasSubstr(R"("message":"Spans could not be sent.")"));
  EXPECT_THAT(logged(), Not(HasSubstr("Bearer")));
}

TEST_F(SpanExporterTest, GivesABatchUpAfterSomeAttempts) {
  limits_.attempts = 2;
  collector_.will_answer(Fetched{500, ""});
  collector_.will_answer(Fetched{500, ""});
  begin().add(spans(2));
  collector_.wait_for(2);
  exporter_->add(spans(1));
  collector_.wait_for(3);
  const auto counted = stop();
  EXPECT_EQ(counted.at("unavailable"), 2);
  EXPECT_EQ(counted.at("tilth_trace_spans_sent_total"), 1);
}

TEST_F(SpanExporterTest, DoesNotSendAgainWhatIsRefused) {
  collector_.will_answer(Fetched{400, ""});
  collector_.will_answer(Fetched{302, ""});
  collector_.will_answer(Fetched{200, R"({"partialSuccess":{"rejectedSpans":"2"}})"});
  begin();
  for (std::size_t i = 1; i <= 3; ++i) {
    exporter_->add(spans(3));
    collector_.wait_for(i);
  }
  const auto counted = stop();
  EXPECT_EQ(collector_.wait_for(3).size(), 3U);
  EXPECT_EQ(counted.at("refused"), 6);
  EXPECT_EQ(counted.at("rejected"), 2);
  EXPECT_EQ(counted.at("tilth_trace_spans_sent_total"), 1);
}

TEST_F(SpanExporterTest, DropsWhatFindsNoRoomWhileTheCollectorHangs) {
  limits_.waiting = 10;
  limits_.at_stop = 0ms;
  collector_.fall_silent();
  begin().add(spans(2));
  collector_.wait_for(1);
  for (int i = 0; i < 1'000; ++i) exporter_->add(spans(4));
  const auto waiting = counts();
  EXPECT_EQ(waiting.at("tilth_trace_spans_waiting"), 8);
  EXPECT_EQ(waiting.at("tilth_trace_spans_dropped_total"), 3'992);
  const auto counted = stop();
  EXPECT_EQ(counted.at("stopped"), 10) << "the exports are ended, and nothing is lost silently";
  EXPECT_EQ(counted.at("tilth_trace_spans_waiting"), 0);
}

TEST_F(SpanExporterTest, EndsAPauseWhenItStops) {
  limits_.first_pause = limits_.longest_pause = 1h;
  collector_.will_answer(Fetched{503, ""});
  begin().add(spans(2));
  collector_.wait_for(1);
  EXPECT_EQ(stop().at("unavailable"), 2);
}

TEST_F(SpanExporterTest, ReadsHeadersFromAFile) {
  const auto file = directory_.path() / "headers";
  const auto read = [&](const std::string& content) {
    std::ofstream(file) << content;
    return read_header_file(file);
  };
  EXPECT_THAT(*read("Authorization: Bearer x\r\n\nx-scope: a b: c\n"),
              ElementsAre("Authorization: Bearer x", "x-scope: a b: c"));
  EXPECT_TRUE(read("")->empty());
  for (const std::string line :
       {"secret", ": secret", "a b: secret", "a:", "a:  ", "a: secret\x01", "\xC3\xA4: secret"}) {
    const auto refused = read("a: b\n" + line + "\n");
    ASSERT_FALSE(refused) << line;
    EXPECT_EQ(refused.error().code, ErrorCode::kDamaged);
    EXPECT_THAT(refused.error().message, HasSubstr("line 2"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
  }
  EXPECT_EQ(read_header_file(directory_.path() / "none").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace tilth::testing
