#include <map>
#include <string>

#include <gtest/gtest.h>

#include "events/log/streams.h"
#include "infra/embedded/memory_event_log.h"
#include "projections/fold/cell_layout.h"

namespace tilth::testing {
namespace {

// As the embedded log: one partition, and 12 virtual ones.
class OnePartition final : public EventLog {
 public:
  void append(Record record, OnAppended done) override { log_.append(std::move(record), done); }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return log_.read(from);
  }
  void end(int partition, OnEnd done) override { log_.end(partition, std::move(done)); }
  int partitions() const override { return 1; }
  int virtual_partitions() const override { return 12; }

 private:
  MemoryEventLog log_{1};
};

std::string owner(int number) { return "user_" + std::to_string(number); }

// Each owner is followed by its own cell alone, and that cell reads its partition.
void expect_divided(const EventLog& log, const CellLayout& layout) {
  for (int number = 0; number < 500; ++number) {
    const auto stream = owner(number);
    for (int cell = 0; cell < layout.cells(); ++cell) {
      const auto part = layout.part_of(registry(), cell);
      EXPECT_EQ(part.follows(stream), layout.cell_of(stream) == cell) << stream;
      const bool reads = part.reads(log.partition_of(stream));
      EXPECT_TRUE(reads || !part.follows(stream)) << stream;
    }
  }
}

TEST(CellLayout, GivesEachOwnerToOneCellThatReadsItsPartition) {
  const MemoryEventLog log(12);
  for (const int cells : {2, 3, 4, 5, 12}) expect_divided(log, {log, cells});
  const OnePartition one;
  for (const int cells : {2, 3, 4, 5, 12}) expect_divided(one, {one, cells});
}

TEST(CellLayout, AProjectionOfKnownStreamsReadsTheirPartitionsAlone) {
  const MemoryEventLog log(12);
  const auto part = CellLayout(log, 1).part_of(access(), 0);
  for (int partition = 0; partition < 12; ++partition) {
    const bool has_some =
        partition == log.partition_of(kAccessStream) || partition == log.partition_of(kAuditStream);
    EXPECT_EQ(part.reads(partition), has_some) << partition;
  }
  EXPECT_TRUE(part.follows(kAuditStream));
  const auto all = CellLayout(log, 1).part_of(registry(), 0);
  for (int partition = 0; partition < 12; ++partition) EXPECT_TRUE(all.reads(partition));
}

TEST(CellLayout, GivesTheReferenceDataToEveryCell) {
  const MemoryEventLog log(12);
  const CellLayout layout(log, 4);
  for (int cell = 0; cell < 4; ++cell) {
    const auto part = layout.part_of(registry(), cell);
    EXPECT_TRUE(part.follows(kReferenceStream));
    EXPECT_TRUE(part.reads(log.partition_of(kReferenceStream)));
    EXPECT_FALSE(part.follows(kAccessStream));
  }
}

TEST(CellLayout, ReadsFewPartitionsInEachCell) {
  const MemoryEventLog log(12);
  const CellLayout layout(log, 4);
  std::map<int, int> readers;
  for (int cell = 0; cell < 4; ++cell) {
    for (const int partition : layout.part_of(registry(), cell).partitions) ++readers[partition];
  }
  for (int partition = 0; partition < 12; ++partition) {
    EXPECT_EQ(readers[partition], partition == log.partition_of(kReferenceStream) ? 4 : 1);
  }
}

// So that a node may hold it without any owner.
TEST(CellLayout, MayGiveTheReferenceDataACellOfItsOwn) {
  const MemoryEventLog log(12);
  const CellLayout layout(log, 4, CellLayout::ReferenceData::kApart);
  EXPECT_EQ(layout.cells(), 5);
  EXPECT_EQ(layout.cells_of_owners(), 4);
  EXPECT_EQ(layout.cell_of(kReferenceStream), 4);
  expect_divided(log, layout);
  const auto apart = layout.part_of(registry(), 4);
  EXPECT_EQ(apart.partitions, std::vector{log.partition_of(kReferenceStream)});
  EXPECT_TRUE(apart.follows(kReferenceStream));
  for (int cell = 0; cell < 4; ++cell) {  // owners' commands are decided on it
    EXPECT_TRUE(layout.part_of(registry(), cell).follows(kReferenceStream));
  }
  const CellLayout only(MemoryEventLog(1), 1, CellLayout::ReferenceData::kApart);
  EXPECT_EQ(only.cells(), 2);
  EXPECT_FALSE(only.part_of(registry(), 1).follows(owner(1)));
}

TEST(CellLayout, DividesOwnersEvenly) {
  const OnePartition log;
  const CellLayout layout(log, 4);
  std::map<int, int> owners;
  for (int number = 0; number < 12'000; ++number) ++owners[layout.cell_of(owner(number))];
  for (int cell = 0; cell < 4; ++cell) EXPECT_NEAR(owners[cell], 3'000, 300);
}

TEST(CellLayout, HasNoMoreCellsThanVirtualPartitions) {
  EXPECT_EQ(CellLayout(MemoryEventLog(3), 8).cells(), 3);
  EXPECT_EQ(CellLayout(OnePartition(), 64).cells(), 12);
}

TEST(CellLayout, NamesAndMarksTheRowsOfEachLayoutDifferently) {
  const OnePartition log;
  const auto whole = CellLayout(log, 1).part_of(registry(), 0);
  EXPECT_EQ(whole.title(), "registry");
  EXPECT_EQ(whole.fingerprint, registry().fingerprint);
  const auto second = CellLayout(log, 2).part_of(registry(), 1);
  EXPECT_EQ(second.title(), "registry.1");
  EXPECT_NE(second.fingerprint, CellLayout(log, 3).part_of(registry(), 1).fingerprint);
}

}  // namespace
}  // namespace tilth::testing
