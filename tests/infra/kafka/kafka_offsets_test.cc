// The end of a topic while its leaders change: with librdkafka's own mock cluster and scripted
// responses.

#include "infra/kafka/client/kafka_offsets.h"

#include <vector>

#include "tests/infra/kafka/mock_brokers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

class KafkaOffsets : public MockBrokers {
 protected:
  KafkaOffsets() : MockBrokers(2) {}

  void SetUp() override {
    MockBrokers::SetUp();
    auto asking = make_kafka_handle(RD_KAFKA_PRODUCER, settings, {});
    ASSERT_TRUE(asking);
    client = std::move(*asking);
  }

  // The error of the next requests for offsets.
  void answer(std::size_t times, rd_kafka_resp_err_t code) {
    const std::vector<rd_kafka_resp_err_t> codes(times, code);
    rd_kafka_mock_push_request_errors_array(cluster.get(), kListOffsets, times, codes.data());
  }

  KafkaHandle client;
};

TEST_F(KafkaOffsets, AsksAgainWhileALeaderIsReplaced) {
  answer(20, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  const auto ends = ask_kafka_offsets(client.get(), "events", {0, 1}, KafkaOffset::kEnd, 60s);
  ASSERT_TRUE(ends) << ends.error().message;
  EXPECT_EQ(*ends, (std::map<int, std::int64_t>{{0, 0}, {1, 0}}));
}

TEST_F(KafkaOffsets, SaysWhyWhenNoLeaderAnswersInTime) {
  answer(1'000, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  const auto ends = ask_kafka_offsets(client.get(), "events", {0}, KafkaOffset::kEnd, 300ms);
  ASSERT_FALSE(ends);
  EXPECT_EQ(ends.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace tilth::testing
