#include "command/land/farm.h"
#include "command/library/admin_crop.h"
#include "command/loop/cells.h"
#include "events/log/streams.h"
#include "infra/embedded/memory_event_log.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/node.h"

namespace tilth::testing {
namespace {

class CellsSpec : public ::testing::Test {
 protected:
  std::string owner_in(int cell) const {
    for (int number = 0;; ++number) {
      auto stream = "user_" + std::to_string(number);
      if (layout.cell_of(stream) == cell) return stream;
    }
  }
  void start(const std::string& stream, Decide decide) {
    ++started;
    cells.carry_out(
        {.stream = stream, .actor = "key_1", .request_id = "r", .decide = std::move(decide)},
        [this](const Result<CommandResult>& end) {
          ++answered;
          outcome = end;
        });
  }
  Position registered(const std::string& stream, const std::string& name) {
    start(stream, deciding(Create<Farm>{{}, {.name = name, .total_area = Decimal(10)}}));
    turn_until([this] { return answered == started; }, {&first, &second});
    EXPECT_TRUE(*outcome) << outcome->error().message;
    return (*outcome)->position.value();
  }

  MemoryEventLog log{4, MemoryEventLog::Refused::kKept};
  const CellLayout layout{log, 2};
  Node first{log, '0', {}, [this] { return layout.part_of(registry(), 0); }};
  Node second{log, '1', {}, [this] { return layout.part_of(registry(), 1); }};
  Cells cells{layout, {&first.loop(), &second.loop()}};
  int started = 0, answered = 0;
  std::optional<Result<CommandResult>> outcome;
};

TEST_F(CellsSpec, DecideAndFoldEachTheirOwnStreams) {
  const auto one = owner_in(0), other = owner_in(1);
  registered(one, "Al Noor");
  registered(other, "Wadi");
  EXPECT_EQ(first.rows(one).count<Farm>({}), 1);
  EXPECT_EQ(first.rows(other).count<Farm>({}), 0);
  EXPECT_EQ(second.rows(one).count<Farm>({}), 0);
  EXPECT_EQ(second.rows(other).count<Farm>({}), 1);
}

TEST_F(CellsSpec, AnswerAChangeOfTheReferenceDataOnceAllHaveReadIt) {
  const int home = layout.cell_of(kReferenceStream);
  auto& at_home = home == 0 ? first : second;
  auto& elsewhere = home == 0 ? second : first;
  start(std::string(kReferenceStream), deciding(DescribeCrop{{}, {.name = {"Teff"}}, {}}));
  turn_until([&] { return at_home.rows(std::string(kReferenceStream)).count<AdminCrop>({}) == 1; },
             {&at_home});
  for (int turn = 0; turn < 10; ++turn) {
    ASSERT_TRUE(at_home.loop().turn(std::chrono::milliseconds(0)));
  }
  EXPECT_EQ(answered, 0);
  turn_until([this] { return answered == 1; }, {&elsewhere});
  EXPECT_EQ(elsewhere.rows(std::string(kReferenceStream)).count<AdminCrop>({}), 1);
  EXPECT_TRUE(*outcome);
}

TEST_F(CellsSpec, AnswerARefusalOfTheReferenceDataAtOnce) {
  const int home = layout.cell_of(kReferenceStream);
  start(std::string(kReferenceStream), [](const Rows&, const Context&) -> Decision {
    return Error{ErrorCode::kNotFound, "There is no such crop."};
  });
  turn_until([this] { return answered == 1; }, {home == 0 ? &first : &second});
  EXPECT_EQ(outcome->error().code, ErrorCode::kNotFound);
}

// A client may have written for another owner, whose partition this owner's cell does not read.
TEST_F(CellsSpec, KnowPositionsOfEachOther) {
  const auto one = owner_in(0), other = owner_in(1);
  const auto position = registered(other, "Wadi");
  EXPECT_TRUE(cells.has_reached(one, position));
  EXPECT_FALSE(cells.has_reached(one, {position.partition, position.offset + 1}));
  bool reached = false;
  cells.when_reached(one, position, std::chrono::seconds(5), [&](bool is) { reached = is; });
  turn_until([&] { return reached; }, {&first, &second});
}

TEST_F(CellsSpec, HaveReadWhatAnyOfThemHasRead) {
  const auto one = registered(owner_in(0), "Al Noor"), other = registered(owner_in(1), "Wadi");
  const auto read = cells.read_so_far();
  for (const auto& position : {one, other}) {
    EXPECT_NE(std::ranges::find(read, position), read.end()) << position.partition;
  }
}

TEST_F(CellsSpec, RefuseWhatConcernsACellThatAnotherNodeHolds) {
  const auto here = owner_in(0), there = owner_in(1);
  const auto before = registered(there, "Wadi");
  cells.set_held(1, false);
  EXPECT_EQ(cells.held(), std::vector<std::size_t>{0});
  EXPECT_TRUE(cells.holds(here));
  EXPECT_FALSE(cells.holds(there));
  start(there, deciding(Create<Farm>{{}, {.name = "Siwa", .total_area = Decimal(10)}}));
  EXPECT_EQ(answered, started);
  EXPECT_EQ(outcome->error().code, ErrorCode::kUnavailable);
  std::optional<bool> reached;
  cells.when_reached(there, before, std::chrono::seconds(5), [&](bool is) { reached = is; });
  EXPECT_EQ(reached, false);
  cells.set_held(1, true);
  registered(there, "Siwa");
}

// The rows of one owner do not depend on a partition with another's.
TEST_F(CellsSpec, NeedNoPositionThatOnlyACellOfAnotherNodeReads) {
  const auto here = owner_in(0), there = owner_in(1);
  auto position = registered(there, "Wadi");
  if (first.loop().projector().reads(position.partition)) {
    GTEST_SKIP() << "every cell reads the reference data";
  }
  cells.set_held(1, false);
  EXPECT_TRUE(cells.has_reached(here, position));
  position.offset += 1'000;
  std::optional<bool> reached;
  cells.when_reached(here, position, std::chrono::seconds(5), [&](bool is) { reached = is; });
  EXPECT_EQ(reached, true);
  EXPECT_FALSE(cells.has_reached(here, {log.partitions(), 0}));  // there is no such partition
}

TEST_F(CellsSpec, WaitForNoCellOfAnotherNodeWithReferenceData) {
  const int home = layout.cell_of(kReferenceStream);
  cells.set_held(static_cast<std::size_t>(1 - home), false);
  start(std::string(kReferenceStream), deciding(DescribeCrop{{}, {.name = {"Teff"}}, {}}));
  turn_until([&] { return answered == started; }, {home == 0 ? &first : &second});
  EXPECT_TRUE(*outcome);
}

}  // namespace
}  // namespace tilth::testing
