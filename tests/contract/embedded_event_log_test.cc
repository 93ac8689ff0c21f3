#include "infra/embedded/embedded_event_log.h"

#include "infra/embedded/owner_keys.h"
#include "tests/contract/durable_event_log_contract.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

// The log, for readers that want some of its streams.
class Followed final : public EventLog {
 public:
  Followed(std::unique_ptr<EmbeddedEventLog> log, EmbeddedEventLog::Wanted wanted)
      : log_(std::move(log)), part_(log_->only(std::move(wanted))) {}

  void append(Record record, OnAppended done) override {
    part_->append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return part_->read(from);
  }
  void end(int partition, OnEnd done) override { part_->end(partition, std::move(done)); }
  int partitions() const override { return part_->partitions(); }

 private:
  const std::unique_ptr<EmbeddedEventLog> log_;
  const std::unique_ptr<EventLog> part_;
};

LogUnderTest embedded(std::string name, EmbeddedEventLog::Options options, bool sealed = false,
                      const EmbeddedEventLog::Wanted& wanted = {}) {
  const auto directory = std::make_shared<std::unique_ptr<TemporaryDirectory>>();
  const auto open = [=]() -> std::unique_ptr<EventLog> {
    auto its = options;
    if (sealed) {
      auto keys = OwnerKeys::open((*directory)->path() / "keys");
      if (!keys) return nullptr;
      its.store.keys = std::move(*keys);
      its.store.seal_new = true;
    }
    auto log = EmbeddedEventLog::open((*directory)->path(), its);
    if (log && wanted) return std::make_unique<Followed>(std::move(*log), wanted);
    return log ? std::move(*log) : nullptr;
  };
  return {std::move(name),
          [=] {
            *directory = std::make_unique<TemporaryDirectory>();
            return open();
          },
          open, [=] { directory->reset(); }};
}

const auto kLogs = ::testing::Values(
    embedded("ReadsFromMemory", {}),
    embedded("ReadsWhatItFollows", {}, false,
             [](std::string_view stream) { return stream.starts_with("user_"); }),
    // Nothing is cached, and tables are written all the time.
    embedded("ReadsFromDisk",
             {.store = {.write_buffer_bytes = 64 << 10}, .tail_bytes = 0, .cached_streams = 1}),
    embedded("ReadsSealedFromDisk", {.tail_bytes = 0}, true));

INSTANTIATE_TEST_SUITE_P(Embedded, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Embedded, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
