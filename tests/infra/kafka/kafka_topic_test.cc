// A missing topic is created, and one that would lose records is refused.

#include "infra/kafka/topic/kafka_topic.h"

#include <array>
#include <map>

#include <gmock/gmock.h>

#include "infra/kafka/kafka_event_log.h"
#include "tests/infra/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

using ::testing::HasSubstr;
using Values = std::map<std::string, std::string>;

class KafkaTopic : public ::testing::Test {
 protected:
  // Creates a topic as another program would.
  void make(const Values& values, int copies = 1) {
    const auto client = make_kafka_handle(RD_KAFKA_PRODUCER, settings, {});
    ASSERT_TRUE(client);
    std::array<char, 256> why{};
    auto* topic = rd_kafka_NewTopic_new(settings.topic.c_str(), settings.partitions, copies,
                                        why.data(), why.size());
    for (const auto& [name, value] : values) {
      rd_kafka_NewTopic_set_config(topic, name.c_str(), value.c_str());
    }
    const KafkaQueue queue(rd_kafka_queue_new(client->get()));
    rd_kafka_CreateTopics(client->get(), &topic, 1, nullptr, queue.get());
    const KafkaEvent event(rd_kafka_queue_poll(queue.get(), 30'000));
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(rd_kafka_event_error(event.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_NewTopic_destroy(topic);
  }

  // Why it is refused; empty if it is not.
  std::string refusal(const Values& values, int copies = 1) {
    settings.topic = test_brokers().topic;
    make(values, copies);
    const auto log = KafkaEventLog::open(settings);
    return log ? "" : log.error().message;
  }

  KafkaSettings settings = test_brokers(3);
};

TEST_F(KafkaTopic, IsMadeOnceByNodesThatStartTogether) {
  const auto one = KafkaEventLog::open(settings);
  const auto other = KafkaEventLog::open(settings);
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ((*one)->partitions(), 3);
  EXPECT_EQ((*other)->partitions(), 3);
  EXPECT_EQ((*one)->cluster(), (*other)->cluster());
}

TEST_F(KafkaTopic, KeepsTheNumberOfItsPartitions) {
  ASSERT_TRUE(KafkaEventLog::open(settings));
  settings.partitions = 12;
  const auto log = KafkaEventLog::open(settings);
  ASSERT_TRUE(log);
  EXPECT_EQ((*log)->partitions(), 3);
}

TEST_F(KafkaTopic, IsTakenWhenSomebodyElseMadeItRight) {
  EXPECT_EQ(refusal({{"retention.ms", "-1"}}), "");
}

TEST_F(KafkaTopic, IsRefusedWhenItForgets) {
  EXPECT_THAT(refusal({}), HasSubstr("retention.ms is 604800000, not -1"));
  EXPECT_THAT(refusal({{"retention.ms", "-1"}, {"retention.bytes", "1000000"}}),
              HasSubstr("retention.bytes is 1000000, not -1"));
}

TEST_F(KafkaTopic, IsRefusedWhenItIsCompacted) {
  EXPECT_THAT(refusal({{"retention.ms", "-1"}, {"cleanup.policy", "compact"}}),
              HasSubstr("cleanup.policy is compact, not delete"));
}

TEST_F(KafkaTopic, OfKeysIsRefusedWhenItWouldLoseThemOrKeepThemForLong) {
  settings.compacted = true;
  EXPECT_TRUE(KafkaEventLog::open(settings));
  EXPECT_TRUE(KafkaEventLog::open(settings)) << "as it was made";
  const Values kept = {{"retention.ms", "-1"}, {"cleanup.policy", "compact"}};
  EXPECT_THAT(refusal(kept), HasSubstr("segment.ms is 604800000, more than 86400000"));
  auto values = kept;
  values["segment.ms"] = "3600000";
  EXPECT_THAT(refusal(values), HasSubstr("max.compaction.lag.ms is 9223372036854775807, more"));
  values["max.compaction.lag.ms"] = "3600000";
  EXPECT_EQ(refusal(values), "");
  values["cleanup.policy"] = "delete";
  EXPECT_THAT(refusal(values), HasSubstr("cleanup.policy is delete, not compact"));
}

TEST_F(KafkaTopic, IsRefusedWhenALaggardMayLead) {
  EXPECT_THAT(refusal({{"retention.ms", "-1"}, {"unclean.leader.election.enable", "true"}}),
              HasSubstr("unclean.leader.election.enable is true, not false"));
}

TEST_F(KafkaTopic, IsRefusedWhenItTakesNoRecords) {
  EXPECT_THAT(refusal({{"retention.ms", "-1"}, {"min.insync.replicas", "2"}}),
              HasSubstr("min.insync.replicas is 2, more than its 1 copies"));
}

TEST_F(KafkaTopic, IsTakenWithAWordWhenItRefusesLargeRecords) {
  std::string said;
  settings.log_line = [&](std::string_view line) { said.append(line); };
  EXPECT_EQ(refusal({{"retention.ms", "-1"}, {"max.message.bytes", "1000000"}}), "");
  EXPECT_THAT(said, HasSubstr("takes no record of more than 1000000 bytes"));
}

// With one broker, no number of replicas can be too small.
class KafkaTopicOnThreeBrokers : public KafkaTopic {
 protected:
  void SetUp() override {
    if (settings.brokers.size() < 3) GTEST_SKIP() << "needs with_brokers.py --brokers 3";
  }
};

TEST_F(KafkaTopicOnThreeBrokers, IsMadeAsItIsAskedFor) {
  for (int i = 0; i < 2; ++i) {
    const auto log = KafkaEventLog::open(settings);
    EXPECT_TRUE(log) << log.error().message;
  }
  EXPECT_EQ(refusal({{"retention.ms", "-1"}, {"min.insync.replicas", "2"}}, 3), "");
}

TEST_F(KafkaTopicOnThreeBrokers, IsRefusedWhenItHasTooFewCopies) {
  EXPECT_THAT(refusal({{"retention.ms", "-1"}}, 1),
              HasSubstr("it has 1 copies of a partition where 3 brokers are"));
}

TEST_F(KafkaTopicOnThreeBrokers, IsRefusedWhenOneCopyIsEnough) {
  EXPECT_THAT(refusal({{"retention.ms", "-1"}, {"min.insync.replicas", "1"}}, 3),
              HasSubstr("min.insync.replicas is 1, not 2"));
}

TEST_F(KafkaTopic, IsNotThereWhenNoBrokerAnswers) {
  settings.brokers = {"127.0.0.1:9"};
  const auto log = KafkaEventLog::open(settings, {}, std::chrono::seconds(1));
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr("Kafka cannot be used: no broker answers"));
}

TEST_F(KafkaTopic, SaysWhichSettingOfTheClientHasNoSenseWithoutItsValue) {
  settings.client = {{"sasl.password.of.mine", "secret"}};
  const auto log = KafkaEventLog::open(settings);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message,
            "kafka.sasl.password.of.mine is no setting of Kafka's client, or has no sense.");
}

}  // namespace
}  // namespace tilth::testing
