#include "infra/kafka/kafka_event_log.h"

#include "tests/contract/durable_event_log_contract.h"
#include "tests/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

// As nodes read it: what a reader is told of its own records comes first.
class ForDeciders final : public EventLog {
 public:
  explicit ForDeciders(std::unique_ptr<KafkaEventLog> log) : log_(std::move(log)) {}

  void append(Record record, OnAppended done) override {
    log_->for_deciders().append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return log_->for_deciders().read(from);
  }
  void end(int partition, OnEnd done) override {
    log_->for_deciders().end(partition, std::move(done));
  }
  int partitions() const override { return log_->partitions(); }

 private:
  const std::unique_ptr<KafkaEventLog> log_;
};

LogUnderTest kafka(std::string name, int partitions, bool for_deciders = false) {
  const auto settings = std::make_shared<KafkaSettings>();
  const auto open = [=]() -> std::unique_ptr<EventLog> {
    auto log = KafkaEventLog::open(*settings);
    EXPECT_TRUE(log) << log.error().message;
    if (!log) return nullptr;
    if (for_deciders) return std::make_unique<ForDeciders>(std::move(*log));
    return std::move(*log);
  };
  return {std::move(name),
          [=] {
            *settings = test_brokers(partitions);
            return open();
          },
          open};
}

const auto kLogs = ::testing::Values(kafka("OnePartition", 1), kafka("TwelvePartitions", 12),
                                     kafka("ForDeciders", 12, true));

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Kafka, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
