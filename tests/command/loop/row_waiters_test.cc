#include "command/loop/row_waiters.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

class RowWaitersTest : public ProjectorFixture {
 protected:
  static constexpr auto kTimeout = 5s;

  void SetUp() override { ASSERT_TRUE(begin(failing)); }

  RowWaiters::Done telling(const std::string& name) {
    return [this, name](bool is) { told += name + (is ? ": yes " : ": no "); };
  }
  void add_for(const Position& position, const std::string& name, const std::string& stream) {
    waiters().add(RowWaiters::ForPosition{stream, position, now_steady + kTimeout, telling(name)});
  }
  void add_for_age(const std::string& stream) {
    waiters().add(RowWaiters::ForAge{stream, kNow, now_steady + kTimeout, telling(stream)});
  }

  // Tasks that are overdue `kNow`, more than a batch ages.
  void tasks_fall_due(const std::string& stream) {
    happened(stream, farm_registered());
    for (int i = 0; i < 600; ++i) {
      TaskPath at = kTask;
      at.task_id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
      at.task_id.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
      happened(stream, task_created(at, {.title = "Prune", .due_date = kNow}));
    }
    read_all();
  }

  // Of the projector, which SetUp() creates.
  RowWaiters& waiters() {
    if (!waiters_) waiters_.emplace(*projector, steady, kTimeout);
    return *waiters_;
  }

  FailingStore failing{store};
  std::chrono::steady_clock::time_point now_steady{};
  const std::function<std::chrono::steady_clock::time_point()> steady = [this] {
    return now_steady;
  };
  std::string told;

 private:
  std::optional<RowWaiters> waiters_;
};

TEST_F(RowWaitersTest, AreToldOncePastTheirPosition) {
  EXPECT_TRUE(waiters().empty());
  add_for({log.partition_of("user_1"), 0}, "first", "user_1");
  add_for({log.partition_of("user_1"), 1}, "second", {});
  EXPECT_TRUE(waiters().any_for_position());
  waiters().notify();
  EXPECT_EQ(told, "");
  happened("user_1", farm_registered());
  read_all();
  waiters().notify();
  waiters().notify();
  EXPECT_EQ(told, "first: yes ");
  happened("user_1", field_registered());
  read_all();
  waiters().notify();
  EXPECT_EQ(told, "first: yes second: yes ");
  EXPECT_TRUE(waiters().empty());
}

TEST_F(RowWaitersTest, WaitForAPositionUntilTheirDeadline) {
  add_for({log.partition_of("user_1"), 0}, "first", "user_1");
  now_steady += kTimeout - 1ms;
  waiters().notify();
  EXPECT_EQ(told, "");
  now_steady += 1ms;
  waiters().notify();
  EXPECT_EQ(told, "first: no ");
}

TEST_F(RowWaitersTest, AreToldOfAPositionThatIsReachedAtTheDeadline) {
  add_for({log.partition_of("user_1"), 0}, "first", "user_1");
  happened("user_1", farm_registered());
  read_all();
  now_steady += kTimeout;
  waiters().notify();
  EXPECT_EQ(told, "first: yes ");
}

TEST_F(RowWaitersTest, AgeABatchOfEachStreamInTurn) {
  tasks_fall_due("user_1");
  happened("user_2", farm_registered());
  read_all();
  add_for_age("user_1");
  add_for_age("user_2");
  EXPECT_TRUE(waiters().any_for_age());
  waiters().age_rows();
  EXPECT_EQ(told, "user_2: yes ");
  waiters().age_rows();
  EXPECT_EQ(told, "user_2: yes user_1: yes ");
  EXPECT_TRUE(waiters().empty());
}

TEST_F(RowWaitersTest, HaveMoreTimeAfterEachBatch) {
  tasks_fall_due("user_1");
  add_for_age("user_1");
  now_steady += kTimeout - 1ms;
  waiters().age_rows();
  failing.fail_all_but_every(1'000);
  now_steady += kTimeout - 1ms;
  waiters().age_rows();
  EXPECT_EQ(told, "");
  now_steady += 1ms;
  waiters().age_rows();
  EXPECT_EQ(told, "user_1: no ");
}

TEST_F(RowWaitersTest, WaitUntilTheirDeadlineForRowsThatCannotAge) {
  tasks_fall_due("user_1");
  add_for_age("user_1");
  failing.fail_all_but_every(1'000);
  waiters().age_rows();
  EXPECT_EQ(told, "") << "the disk may have space again";
  now_steady += kTimeout;
  waiters().age_rows();
  EXPECT_EQ(told, "user_1: no ");
}

TEST_F(RowWaitersTest, DoNotWaitForRowsOfAFaultedProjector) {
  tasks_fall_due("user_1");
  add_for_age("user_1");
  projector->cannot_read({"damaged", "They cannot be read."});
  waiters().age_rows();
  EXPECT_EQ(told, "user_1: no ");
}

TEST_F(RowWaitersTest, AreToldNoIfAllEnds) {
  add_for({log.partition_of("user_1"), 0}, "first", "user_1");
  add_for_age("user_1");
  waiters().end_all();
  EXPECT_EQ(told, "first: no user_1: no ");
  EXPECT_TRUE(waiters().empty());
}

}  // namespace
}  // namespace tilth::testing
