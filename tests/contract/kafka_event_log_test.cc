#include "infra/kafka/kafka_event_log.h"

#include "tests/contract/durable_event_log_contract.h"
#include "tests/infra/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

// A log as nodes read it: all readers share one client.
class Shared final : public EventLog {
 public:
  enum class For { kDeciders, kFollowers };

  Shared(std::unique_ptr<KafkaEventLog> log, For whom)
      : log_(std::move(log)),
        view_(whom == For::kDeciders ? log_->for_deciders() : log_->for_followers()) {}

  void append(Record record, OnAppended done) override {
    view_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return view_.read(from);
  }
  void end(int partition, OnEnd done) override { view_.end(partition, std::move(done)); }
  int partitions() const override { return log_->partitions(); }

 private:
  const std::unique_ptr<KafkaEventLog> log_;
  EventLog& view_;
};

LogUnderTest kafka(std::string name, int partitions, std::optional<Shared::For> whom = {}) {
  const auto settings = std::make_shared<KafkaSettings>();
  const auto open = [=]() -> std::unique_ptr<EventLog> {
    auto log = KafkaEventLog::open(*settings);
    EXPECT_TRUE(log) << log.error().message;
    if (!log) return nullptr;
    if (whom) return std::make_unique<Shared>(std::move(*log), *whom);
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
                                     kafka("ForDeciders", 12, Shared::For::kDeciders),
                                     kafka("ForFollowers", 12, Shared::For::kFollowers));

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Kafka, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
