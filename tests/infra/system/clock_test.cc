#include "infra/system/clock.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

const Timestamp kSpring = Timestamp::parse("2026-03-01T06:30:00Z").value();
const Timestamp kSummer = Timestamp::parse("2026-07-01T00:00:00Z").value();

class TestClockTest : public ::testing::Test {
 protected:
  std::unique_ptr<TestClock> open(Timestamp at) {
    auto clock = TestClock::open(memory_, at);
    return clock ? std::move(*clock) : nullptr;
  }
  testing::TemporaryDirectory directory_;
  std::filesystem::path memory_ = directory_.path() / "test-clock";
};

TEST_F(TestClockTest, StandsUntilItIsMoved) {
  const auto clock = open(kSpring);
  EXPECT_EQ(clock->now(), kSpring);
  ASSERT_TRUE(clock->move_to(kSummer));
  EXPECT_EQ(clock->now(), kSummer);
  ASSERT_TRUE(clock->advance(CalendarDuration::parse("P1M").value()));
  EXPECT_EQ(clock->now().text(), "2026-08-01T00:00:00.000Z");
}

TEST_F(TestClockTest, NeverGoesBackwards) {
  const auto clock = open(kSummer);
  const auto moved = clock->move_to(kSpring);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kConflict);
  EXPECT_EQ(clock->now(), kSummer);
  EXPECT_TRUE(clock->move_to(kSummer)) << "the current time is not backwards";
}

TEST_F(TestClockTest, DoesNotMoveBeyondTheYear9999) {
  const auto clock = open(kSpring);
  const auto moved = clock->advance(CalendarDuration::parse("P9000Y").value());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(clock->now(), kSpring);
}

TEST_F(TestClockTest, StandsAfterARestartWhereItStoodIfThatIsLater) {
  ASSERT_TRUE(open(kSpring)->move_to(kSummer));
  EXPECT_EQ(open(kSpring)->now(), kSummer);
}

TEST_F(TestClockTest, StandsAfterARestartAtTheGivenTimeIfThatIsLater) {
  open(kSpring).reset();
  EXPECT_EQ(open(kSummer)->now(), kSummer);
  EXPECT_EQ(open(kSpring)->now(), kSummer) << "a given time is stored, too";
}

TEST_F(TestClockTest, DoesNotMoveIfThatCannotBeRemembered) {
  const auto clock = open(kSpring);
  std::filesystem::remove_all(directory_.path());
  const auto moved = clock->move_to(kSummer);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(clock->now(), kSpring);
}

TEST_F(TestClockTest, RefusesAMemoryThatHoldsNoTime) {
  std::ofstream(memory_) << "noon";
  const auto clock = TestClock::open(memory_, kSpring);
  ASSERT_FALSE(clock);
  EXPECT_EQ(clock.error().code, ErrorCode::kDamaged);
}

TEST(SystemClock, TellsAMachinesTimeThatPasses) {
  const SystemClock clock;
  const auto first = clock.now();
  EXPECT_GT(first, kSpring);
  while (clock.now() == first) {
  }
  EXPECT_GT(clock.now(), first);
}

}  // namespace
}  // namespace tilth
