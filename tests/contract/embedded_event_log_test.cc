#include "infra/embedded/embedded_event_log.h"

#include "infra/embedded/owner_keys.h"
#include "tests/contract/durable_event_log_contract.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

LogUnderTest embedded(std::string name, EmbeddedEventLog::Options options, bool sealed = false) {
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
    // Nothing is cached, and tables are written all the time.
    embedded("ReadsFromDisk",
             {.store = {.write_buffer_bytes = 64 << 10}, .tail_bytes = 0, .cached_streams = 1}),
    embedded("ReadsSealedFromDisk", {.tail_bytes = 0}, true));

INSTANTIATE_TEST_SUITE_P(Embedded, EventLogContract, kLogs);
INSTANTIATE_TEST_SUITE_P(Embedded, DurableEventLogContract, kLogs);

}  // namespace
}  // namespace tilth::testing
