// How the readers of a node share the tail of the topic: with librdkafka's own mock cluster, and
// with records that this node appended.

#include "infra/kafka/read/kafka_tail.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "infra/kafka/read/tail_reader.h"
#include "tests/infra/kafka/mock_brokers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

std::string id_of(std::int64_t offset) { return "id " + std::to_string(offset); }

LoggedRecord record_at(std::int64_t offset) {
  return {{0, offset},
          std::make_shared<const Record>(Record{"user_1", {.id = id_of(offset)}, "{}"})};
}

class KafkaTailTest : public MockBrokers {
 protected:
  void SetUp() override {
    MockBrokers::SetUp();
    open_tail();
  }
  void open_tail(const KafkaGathering& gathering = {}) {
    auto opened = KafkaTail::open(
        settings, [](auto) { return 0; }, {{0, 0}}, std::make_shared<ReadingGate>(), gathering);
    ASSERT_TRUE(opened);
    tail = std::move(*opened);
  }

  // Another program appends something that is no record.
  void append_bytes() {
    auto client = make_kafka_handle(RD_KAFKA_PRODUCER, settings, {});
    ASSERT_TRUE(client);
    std::string bytes = "nothing of ours";
    ASSERT_EQ(rd_kafka_producev(client->get(), RD_KAFKA_V_TOPIC("events"), RD_KAFKA_V_PARTITION(0),
                                RD_KAFKA_V_VALUE(bytes.data(), bytes.size()),
                                RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END),
              RD_KAFKA_RESP_ERR_NO_ERROR);
    ASSERT_EQ(rd_kafka_flush(client->get(), 30'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  // This node appends the next `count` records.
  void tell(int count) {
    for (int i = 0; i < count; ++i, ++told) {
      tail->add_own({0, told}, record_at(told).record);
    }
  }

  // Reads this node's records, from an offset on.
  class Alone final : public LogReader {
   public:
    Alone(const KafkaTailTest& test, std::int64_t from) : test_(test), next_(from) {}

    Result<std::vector<LoggedRecord>> next(std::size_t limit, std::chrono::milliseconds) override {
      std::vector<LoggedRecord> page;
      while (next_ < test_.told && page.size() < limit) page.push_back(record_at(next_++));
      return page;
    }
    void wake() override { ++test_.wakes_of_alone_; }
    void skip_to(const Position& position) override { next_ = std::max(next_, position.offset); }

   private:
    const KafkaTailTest& test_;
    std::int64_t next_;
  };

  std::unique_ptr<TailReader> reader(TailReader::Options options = {}) {
    const auto read_alone =
        [this](const std::vector<Position>& from) -> Result<std::unique_ptr<LogReader>> {
      alone_from_.push_back(from.front().offset);
      return std::unique_ptr<LogReader>(std::make_unique<Alone>(*this, from.front().offset));
    };
    return std::make_unique<TailReader>(*tail, std::vector<Position>{{0, 0}}, read_alone, options);
  }

  // The offsets of the next `count` records.
  static std::vector<std::int64_t> read(LogReader& it, std::size_t count) {
    std::vector<std::int64_t> offsets;
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (offsets.size() < count && std::chrono::steady_clock::now() < until) {
      const auto page = it.next(count - offsets.size(), 100ms);
      if (!page) continue;
      for (const auto& [position, record] : *page) {
        EXPECT_EQ(record->envelope.id, id_of(position.offset));
        offsets.push_back(position.offset);
      }
    }
    return offsets;
  }
  static std::vector<std::int64_t> from_to(std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> all;
    for (auto offset = from; offset < to; ++offset) all.push_back(offset);
    return all;
  }
  // Appends more records than the tail keeps, while `it` reads all of them.
  void tell_much(LogReader& it) {
    constexpr int kAtATime = 1'000, kMuch = 12'000;
    for (int count = 0; count < kMuch; count += kAtATime) {
      tell(kAtATime);
      ASSERT_EQ(read(it, kAtATime).size(), std::size_t{kAtATime});
    }
  }

  std::int64_t told = 0;
  std::vector<std::int64_t> alone_from_;  // where readers got their own clients
  mutable int wakes_of_alone_ = 0;        // of these
  std::unique_ptr<KafkaTail> tail;
};

TEST_F(KafkaTailTest, ReadsOnceForAll) {
  const auto one = reader(), other = reader();
  tell(3);
  EXPECT_EQ(read(*one, 3), from_to(0, 3));
  tell(2);
  EXPECT_EQ(read(*other, 5), from_to(0, 5));
  EXPECT_EQ(read(*one, 2), from_to(3, 5));
  EXPECT_THAT(alone_from_, ::testing::IsEmpty());
}

TEST_F(KafkaTailTest, HasWhatBrokersHandOut) {
  const auto it = reader();
  append_bytes();
  auto page = it->next(10, 30s);
  while (page && page->empty()) page = it->next(10, 30s);
  ASSERT_TRUE(page);
  EXPECT_THAT(page->front().record->foreign, ::testing::HasSubstr("partition 0, offset 0"));
}

// Although it lingers for longer than any test lasts.
TEST_F(KafkaTailTest, FetchesWhatLiesBeforeAnOwnRecord) {
  settings.client["socket.timeout.ms"] = "300000";
  open_tail({.bytes = 1 << 20, .time = 200s});
  const auto it = reader();
  append_bytes();
  told = 1;
  tell(1);
  std::vector<LoggedRecord> found;
  for (int turns = 0; turns < 300 && found.size() < 2; ++turns) {
    const auto page = it->next(10, 100ms);
    ASSERT_TRUE(page);
    found.insert(found.end(), page->begin(), page->end());
  }
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found.front().record->foreign.empty());
  EXPECT_EQ(found.back().record->envelope.id, id_of(1));
}

TEST_F(KafkaTailTest, TakesOnWhoHasCaughtUp) {
  const auto first = reader();
  tell(2'000);
  ASSERT_EQ(read(*first, 2'000).size(), 2'000U);
  tell(1);
  ASSERT_EQ(read(*first, 1).size(), 1U);  // by now all but the last one are evicted
  const auto late = reader();
  EXPECT_EQ(read(*late, 2'001), from_to(0, 2'001));
  tell(3);
  EXPECT_EQ(read(*late, 3), from_to(2'001, 2'004));
  EXPECT_THAT(alone_from_, ::testing::ElementsAre(0));
}

// Such as a cell's that is not held, or that is to be filled in bulk.
TEST_F(KafkaTailTest, OpensNoClientForWhoDoesNotRead) {
  const auto first = reader();
  tell_much(*first);
  const auto idle = reader();
  idle->wake();
  idle->skip_to({0, 7});
  EXPECT_THAT(alone_from_, ::testing::IsEmpty());
  EXPECT_EQ(read(*idle, static_cast<std::size_t>(told - 7)), from_to(7, told));
  EXPECT_THAT(alone_from_, ::testing::ElementsAre(7));
  EXPECT_EQ(wakes_of_alone_, 1);
}

TEST_F(KafkaTailTest, LetsNoOneMissAnythingWhoIsLeftBehind) {
  const auto fast = reader(), slow = reader();
  tell(5);
  ASSERT_EQ(read(*slow, 5), from_to(0, 5));
  ASSERT_EQ(read(*fast, 5), from_to(0, 5));
  tell_much(*fast);
  EXPECT_EQ(read(*slow, static_cast<std::size_t>(told - 5)), from_to(5, told));
  EXPECT_THAT(alone_from_, ::testing::ElementsAre(5));
}

TEST_F(KafkaTailTest, LeadsOnWhoWantsNothingOfWhatHeMissed) {
  const auto fast = reader(), slow = reader();
  tell_much(*fast);
  slow->skip_to({0, told - 2});
  EXPECT_EQ(read(*slow, 2), from_to(told - 2, told));
  EXPECT_THAT(alone_from_, ::testing::IsEmpty());
}

TEST_F(KafkaTailTest, KnowsWhereItHasReadAndNoFurther) {
  const auto it = reader();
  EXPECT_TRUE(tail->knows({{0, 0}}));
  EXPECT_FALSE(tail->knows({{0, 1}}));
  tell_much(*it);
  EXPECT_TRUE(tail->knows({{0, told}}));
  EXPECT_FALSE(tail->knows({{0, told + 1}}));
  EXPECT_FALSE(tail->knows({{0, 0}}));
  EXPECT_FALSE(tail->knows({{1, 0}}));
}

TEST_F(KafkaTailTest, LetsRecordsComeTogetherForFollowersUnlessTheyWait) {
  const auto it = reader({.linger = 1h});
  tell(1);
  ASSERT_EQ(it->next(10, 1h)->size(), 1U);
  {
    auto page = std::async(std::launch::async, [&] { return *it->next(10, 1h); });
    tell(1), tell(1);
    it->wake();
    EXPECT_EQ(page.get().size(), 2U);
  }
  tell(1);
  it->prefetch_now({0, 3});
  EXPECT_EQ(it->next(10, 1h)->size(), 1U);
}

TEST_F(KafkaTailTest, WakesHimWhoIsMeant) {
  const auto it = reader(), follower = reader({.linger = 1h});
  for (auto* each : {it.get(), follower.get()}) {
    std::jthread wakes([&] { each->wake(); });
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(each->next(10, 1h)->empty());
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10min);
  }
}

TEST_F(KafkaTailTest, TellsEverybodyOfATrouble) {
  const auto one = reader(), other = reader();
  const auto forbidden = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  rd_kafka_mock_push_request_errors(cluster.get(), kFetch, 3, forbidden, forbidden, forbidden);
  for (auto* each : {one.get(), other.get()}) {
    auto page = each->next(10, 100ms);
    for (int i = 0; i < 300 && page; ++i) page = each->next(10, 100ms);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().code, ErrorCode::kUnavailable);
  }
}

}  // namespace
}  // namespace tilth::testing
