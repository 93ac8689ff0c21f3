#include "infra/kafka/kafka_event_log.h"

#include "tests/contract/durable_event_log_contract.h"
#include "tests/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

LogUnderTest kafka(std::string name, int partitions) {
  const auto settings = std::make_shared<KafkaSettings>();
  const auto open = [=]() -> std::unique_ptr<EventLog> {
    auto log = KafkaEventLog::open(*settings);
    EXPECT_TRUE(log) << log.error().message;
    return log ? std::move(*log) : nullptr;
  };
  return {std::move(name),
          [=] {
            *settings = test_brokers(partitions);
            return open();
          },
          open};
}

const auto kLogs = ::testing::Values(kafka("OnePartition", 1), kafka("TwelvePartitions", 12));

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Kafka, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
