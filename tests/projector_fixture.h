// A projector over a log and a store in memory, and what it told.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "infra/embedded/memory_event_log.h"
#include "projections/projector.h"
#include "tests/land.h"
#include "tests/memory_projection_store.h"
#include "tests/records.h"

namespace tilth::testing {

class ProjectorFixture : public ::testing::Test {
 protected:
  static constexpr std::chrono::milliseconds kAtOnce{0};

  // Begins anew over `over`, as after a restart.
  Status begin(ProjectionStore& over, Projection projection = registry()) {
    projector = std::make_unique<Projector>(
        log, over, std::move(projection),
        [this](const LoggedRecord& logged, bool accepted, const auto& event,
               const std::optional<RowBytes>& row) {
          heard.push_back(logged.record.envelope.id + (accepted ? "" : " refused"));
          EXPECT_TRUE(accepted || !event);
          rows_heard.push_back(row ? row->table : "");
        });
    return projector->open();
  }
  Status begin() { return begin(store); }

  // Reads to the end of the log, and finishes what it began.
  void read_all() {
    for (int turns = 0; turns < 10'000; ++turns) {
      const auto read = projector->follow(kAtOnce);
      ASSERT_TRUE(read) << read.error().message;
      if (!*read) return;
    }
    FAIL() << "it never came to an end";
  }

  // The next records of `stream`, each decided on the one before it.
  template <class... E>
  void happened(const std::string& stream, const E&... events) {
    (append(log, record(stream, versions[stream]++, events)), ...);
  }
  Position position_of(const std::string& stream) const {
    return {log.partition_of(stream), static_cast<std::int64_t>(versions.at(stream)) - 1};
  }

  MemoryEventLog log{4, MemoryEventLog::Refused::kKept};
  MemoryProjectionStore store;
  std::unique_ptr<Projector> projector;
  std::map<std::string, std::uint64_t> versions;
  std::vector<std::string> heard, rows_heard;
};

}  // namespace tilth::testing
