// How a reader handles brokers that do not have the next record: with librdkafka's own mock
// cluster and scripted responses.

#include "infra/kafka/read/kafka_reader.h"

#include <future>

#include <gtest/gtest.h>

#include "infra/kafka/write/kafka_producer.h"
#include "tests/infra/kafka/mock_brokers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

class KafkaReaderTest : public MockBrokers {
 protected:
  void SetUp() override {
    MockBrokers::SetUp();
    auto started = KafkaProducer::start(settings, {});
    ASSERT_TRUE(started);
    producer = std::move(*started);
  }

  void append(const std::string& id) {
    std::promise<Result<Position>> ended;
    producer->append(0, {"user_1", {.id = id}, "{}"},
                     [&](const auto& end) { ended.set_value(end); });
    ASSERT_TRUE(ended.get_future().get());
  }

  std::unique_ptr<KafkaReader> reader(std::int64_t from, const KafkaReader::Options& options = {}) {
    auto opened = KafkaReader::open(
        settings, [](auto) { return 0; }, {{0, from}}, std::make_shared<ReadingGate>(), options);
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  // The ids of the next `count` records, or why there are none.
  static std::string read(KafkaReader& from, std::size_t count,
                          std::chrono::milliseconds timeout = 30s) {
    std::string ids;
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (ids.size() < count && std::chrono::steady_clock::now() < until) {
      const auto page = from.next(10, 100ms);
      if (!page && page.error().code != ErrorCode::kUnavailable) return page.error().message;
      if (!page) continue;
      for (const auto& logged : *page) ids += logged.record->envelope.id;
    }
    return ids;
  }

  std::unique_ptr<KafkaProducer> producer;
};

TEST_F(KafkaReaderTest, ReadsEveryMemberOfARecordFromItsHeaders) {
  const auto time = Timestamp::parse("2026-03-01T06:30:00.123Z").value();
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  for (const auto& trace : {traceparent, std::string()}) {
    const Record whole{
        "user_1",
        {"id" + trace, "tilth.plant.removed", 3, "node-1", time, 1, "request", "cause", "key_1",
         Idempotency{"key", "hash"}, trace, trace.empty() ? "before" : ""},
        "{}"};
    std::promise<Result<Position>> ended;
    producer->append(0, whole, [&](const auto& end) { ended.set_value(end); });
    const auto placed = ended.get_future().get();
    ASSERT_TRUE(placed);
    const auto it = reader(placed->offset);
    Result<std::vector<LoggedRecord>> page = std::vector<LoggedRecord>();
    while (!page || page->empty()) page = it->next(1, 1s);
    EXPECT_EQ(*page->front().record, whole);
  }
}

// As a broker does that resumes and does not know yet that it was replaced.
TEST_F(KafkaReaderTest, GoesOnWhenABrokerWronglySaysThatTheLogEndsEarlier) {
  append("a");
  append("b");
  const auto it = reader(0);
  ASSERT_EQ(read(*it, 2), "ab");
  const auto wrong = RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
  rd_kafka_mock_push_request_errors(cluster.get(), kFetch, 3, wrong, wrong, wrong);
  append("c");
  EXPECT_EQ(read(*it, 1), "c");
}

TEST_F(KafkaReaderTest, TakesThisNodesOwnRecordsBeforeABrokerHandsThemOut) {
  const auto it = reader(0);
  it->own_records()->add_own({0, 0}, std::make_shared<Record>(Record{"user_1", {.id = "a"}}));
  EXPECT_EQ(read(*it, 1), "a");
  append("a");
  append("b");
  EXPECT_EQ(read(*it, 1), "b");
}

// As when the topic was deleted and recreated.
TEST_F(KafkaReaderTest, SaysThatTheTopicIsAnotherWhereAnOwnRecordIsNotAsItWasTold) {
  const auto it = reader(0);
  it->own_records()->add_own({0, 0}, std::make_shared<Record>(Record{"user_1", {.id = "a"}}));
  EXPECT_EQ(read(*it, 1), "a");
  append("x");
  EXPECT_EQ(read(*it, 1),
            "The topic events is another one than it was: partition 0, offset 0 has another record "
            "than was read there.");
}

// A reader that would linger for longer than any test lasts.
class GatheringKafkaReader : public KafkaReaderTest {
 protected:
  void SetUp() override {
    settings.client["socket.timeout.ms"] = "300000";
    KafkaReaderTest::SetUp();
    it = reader(0, {.gathering = KafkaGathering{.bytes = 1 << 20, .time = 200s}});
    EXPECT_EQ(read(*it, 1, 300ms), "");  // its request is at the broker
  }

  std::unique_ptr<KafkaReader> it;
};

TEST_F(GatheringKafkaReader, HasNothingYetForAnyoneWhoDoesNotWait) {
  append("a");
  EXPECT_EQ(read(*it, 1, 300ms), "");
}

TEST_F(GatheringKafkaReader, FetchesWhatSomebodyWaitsFor) {
  append("a");
  append("b");
  it->prefetch_now({0, 1});
  EXPECT_EQ(read(*it, 2), "ab");
  append("c");
  it->prefetch_now({0, 2});
  EXPECT_EQ(read(*it, 1), "c");
}

TEST_F(GatheringKafkaReader, FetchesItAgainAfterATrouble) {
  append("a");
  const auto wrong = RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
  rd_kafka_mock_push_request_errors(cluster.get(), kFetch, 2, wrong, wrong);
  it->prefetch_now({0, 0});
  EXPECT_EQ(read(*it, 1), "a");
}

TEST_F(GatheringKafkaReader, DoesNotWaitForEverForWhatNeverComes) {
  it->prefetch_now({0, INT64_MAX});
  append("a");
  it->prefetch_now({0, 0});
  EXPECT_EQ(read(*it, 1), "a");
}

TEST_F(GatheringKafkaReader, FetchesWhatLiesBeforeItsOwnRecord) {
  append("a");
  append("b");
  it->own_records()->add_own({0, 1}, std::make_shared<Record>(Record{"user_1", {.id = "b"}}));
  append("c");
  it->own_records()->add_own({0, 2}, std::make_shared<Record>(Record{"user_1", {.id = "c"}}));
  EXPECT_EQ(read(*it, 3), "abc");
}

TEST_F(KafkaReaderTest, SaysThatTheLogIsCutOnceItHasBeenSaidForAWhile) {
  append("a");
  const auto it = reader(7, {.doubt = 0ms});
  EXPECT_EQ(read(*it, 1),
            "The topic events no longer holds partition 0, offset 7, which comes next.");
}

}  // namespace
}  // namespace tilth::testing
