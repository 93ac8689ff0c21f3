#include "infra/embedded/embedded_event_log.h"

#include "events/log/log_end.h"
#include "infra/embedded/owner_key_files.h"
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

// Moves the older half of its records to files before each reading.
class HalfArchived final : public EventLog {
 public:
  HalfArchived(std::unique_ptr<EmbeddedEventLog> log, std::filesystem::path directory)
      : log_(std::move(log)), directory_(std::move(directory)) {}

  void append(Record record, OnAppended done) override {
    log_->append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    const auto end = end_of(*log_, 0);
    if (!end) return end.error();
    const auto reached =
        log_->archive({.directory = directory_, .end = *end / 2, .file_bytes = 500});
    if (!reached) return reached.error();
    EXPECT_GE(*reached, *end / 2);
    return log_->read(from);
  }
  void end(int partition, OnEnd done) override { log_->end(partition, std::move(done)); }
  bool is_sequential() const override { return log_->is_sequential(); }
  int partitions() const override { return log_->partitions(); }
  int virtual_partitions() const override { return log_->virtual_partitions(); }
  std::string trouble() const override { return log_->trouble(); }

 private:
  const std::unique_ptr<EmbeddedEventLog> log_;
  const std::filesystem::path directory_;
};

enum class Kept : std::uint8_t { kPlain, kSealed, kHalfArchived };

LogUnderTest embedded(std::string name, EmbeddedEventLog::Options options, Kept kept = Kept::kPlain,
                      const EmbeddedEventLog::Wanted& wanted = {}) {
  const auto directory = std::make_shared<std::unique_ptr<TemporaryDirectory>>();
  const auto open = [=]() -> std::unique_ptr<EventLog> {
    auto its = options;
    if (kept != Kept::kPlain) {
      auto keys = OwnerKeyFiles::open((*directory)->path() / "keys");
      if (!keys) return nullptr;
      its.store.keys = std::move(*keys);
      its.store.seal_new = true;
    }
    auto log = EmbeddedEventLog::open((*directory)->path(), its);
    if (!log) return nullptr;
    if (wanted) return std::make_unique<Followed>(std::move(*log), wanted);
    if (kept != Kept::kHalfArchived) return std::move(*log);
    const auto archive = (*directory)->path() / "archive";
    std::filesystem::create_directory(archive);
    return std::make_unique<HalfArchived>(std::move(*log), archive);
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
    embedded("ReadsWhatItFollows", {}, Kept::kPlain,
             [](std::string_view stream) { return stream.starts_with("user_"); }),
    // Nothing is cached, and tables are written all the time.
    embedded("ReadsFromDisk",
             {.store = {.write_buffer_bytes = 64 << 10}, .tail_bytes = 0, .cached_streams = 1}),
    embedded("ReadsSealedFromDisk", {.tail_bytes = 0}, Kept::kSealed),
    embedded("ReadsTheOlderHalfFromAnArchive", {.tail_bytes = 0, .cached_streams = 1},
             Kept::kHalfArchived));

INSTANTIATE_TEST_SUITE_P(Embedded, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Embedded, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
