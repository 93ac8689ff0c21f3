// What the log on Kafka does when its client fails, or when it reads a foreign record.

#include <atomic>
#include <future>

#include <gmock/gmock.h>

#include "events/log/version_gate.h"
#include "infra/kafka/kafka_event_log.h"
#include "tests/infra/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class KafkaTrouble : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = KafkaEventLog::open(settings, {.on_renewed = [this] { ++renewed; }});
    ASSERT_TRUE(opened) << opened.error().message;
    log = std::move(*opened);
  }

  static Record record(std::uint64_t version, std::string id) {
    return {"user_1", {.id = std::move(id), .stream_version = version}, "{}"};
  }

  Result<Position> append(std::uint64_t version, const std::string& id) {
    std::promise<Result<Position>> ended;
    log->append(record(version, id), [&](const auto& end) { ended.set_value(end); });
    return ended.get_future().get();
  }

  std::vector<std::string> ids() {
    std::promise<Result<std::int64_t>> told;
    const int partition = log->partition_of("user_1");
    log->end(partition, [&](const auto& end) { told.set_value(end); });
    const auto end = told.get_future().get();
    std::vector<std::string> found;
    const auto reader = log->read({{partition, 0}});
    for (std::int64_t next = 0; end && reader && next < *end;) {
      const auto page = (*reader)->next(10, 10s);
      if (!page || page->empty()) break;
      for (const auto& logged : *page) {
        found.push_back(logged.record->envelope.id);
        next = logged.position.offset + 1;
      }
    }
    return found;
  }

  // Puts a message into the topic as some other program would.
  void put(const char* key, const char* value) {
    const auto client = make_kafka_handle(RD_KAFKA_PRODUCER, settings, {});
    ASSERT_TRUE(client);
    rd_kafka_producev(
        client->get(), RD_KAFKA_V_TOPIC(settings.topic.c_str()), RD_KAFKA_V_PARTITION(0),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, std::char_traits<char>::length(key)),
        RD_KAFKA_V_VALUE(const_cast<char*>(value), std::char_traits<char>::length(value)),
        RD_KAFKA_V_END);
    EXPECT_EQ(rd_kafka_flush(client->get(), 30'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  std::atomic<int> renewed = 0;
  KafkaSettings settings = test_brokers(2);
  std::unique_ptr<KafkaEventLog> log;
};

TEST_F(KafkaTrouble, GoesOnWithANewClientAfterAFatalError) {
  ASSERT_TRUE(append(0, "a"));
  log->producer().fail_fatally();
  for (int i = 0; i < 100; ++i) {
    const auto end = append(1, "b");
    if (end) break;
    EXPECT_EQ(end.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(renewed, 1);
  ASSERT_TRUE(append(2, "c"));
  const auto found = ids();
  EXPECT_EQ(found.front(), "a");
  EXPECT_EQ(found.back(), "c");
}

TEST_F(KafkaTrouble, NamesWhatIsNoRecordAndNeverSkipsIt) {
  put("user_1", "hello");
  const auto reader = log->read({{0, 0}});
  ASSERT_TRUE(reader);
  const auto page = (*reader)->next(10, 10s);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 1U);
  EXPECT_EQ(page->front().position, (Position{0, 0}));
  EXPECT_EQ(page->front().record->stream, "user_1");
  EXPECT_THAT(page->front().record->foreign,
              HasSubstr("partition 0, offset 0 is no record of Tilth: it has no headers."));
}

// What else lies in the partition is read on.
TEST_F(KafkaTrouble, NamesWhatLiesInAnotherPartitionThanItsStream) {
  const int wrong = 1 - log->partition_of("user_1");
  for (const auto* id : {"a", "b"}) {
    std::promise<Result<Position>> ended;
    log->producer().append(wrong, record(0, id), [&](const auto& end) { ended.set_value(end); });
    ASSERT_TRUE(ended.get_future().get());
  }
  const auto reader = log->read({{wrong, 0}});
  ASSERT_TRUE(reader);
  for (std::int64_t next = 0; next < 2;) {
    const auto page = (*reader)->next(10, 10s);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& [position, found] : *page) {
      EXPECT_EQ(position, (Position{wrong, next++}));
      EXPECT_EQ(found->stream, "user_1");
      EXPECT_THAT(found->foreign, HasSubstr("belongs into partition " + std::to_string(1 - wrong)));
      EXPECT_FALSE(VersionGate::counts(*found, {}));
    }
  }
}

TEST_F(KafkaTrouble, KnowsWhereTheRecordsSinceATimeBeginInEachPartition) {
  ASSERT_TRUE(append(0, "a"));
  const auto found = log->since(*Timestamp::parse("2020-01-01T00:00:00.000Z"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (std::vector<Position>{{0, 0}, {1, 0}}));  // one of them is empty
}

TEST_F(KafkaTrouble, SaysThatTheOutcomeIsUnknownWhenNoBrokerAnswers) {
  KafkaSettings nowhere = settings;
  nowhere.brokers = {"127.0.0.1:9"};
  auto producer = KafkaProducer::start(nowhere, {});
  ASSERT_TRUE(producer);
  std::promise<Result<Position>> ended;
  (*producer)->append(0, record(0, "a"), [&](const auto& end) { ended.set_value(end); });
  (*producer)->stop();
  const auto end = ended.get_future().get();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace tilth::testing
