// How tasks become overdue in the lists while others read and the disk fails.

#include "projections/work/overdue.h"
#include "query/work/task.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/node.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

constexpr std::uint64_t kTasks = 1'200;  // more than one commit takes

TaskCreated due_task(std::uint64_t number) {
  TaskPath at = kTask;
  at.task_id.uuid.bytes[0] = static_cast<std::uint8_t>(number);
  at.task_id.uuid.bytes[1] = static_cast<std::uint8_t>(number >> 8);
  return task_created(at, {.title = "Prune", .due_date = kNow});
}

std::uint64_t overdue(const Rows& rows) {
  return run_query(rows, ListTasks{.status = TaskStatus::kOverdue}, {})->total;
}

class AgingProjector : public ProjectorFixture {
 protected:
  AgingProjector() {
    happened("user_1", farm_registered());
    for (std::uint64_t i = 0; i < kTasks; ++i) happened("user_1", due_task(i));
  }
};

TEST_F(AgingProjector, TakesSomeTasksAtOnceAndNothingMoreOnceAllHavePassed) {
  ASSERT_TRUE(begin(store));
  read_all();
  EXPECT_EQ(overdue(projector->rows("user_1")), 0U);
  int steps = 1;
  while (!*projector->age("user_1", kNow)) ASSERT_LT(++steps, 10);
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(overdue(projector->rows("user_1")), kTasks);
  EXPECT_TRUE(*projector->age("user_1", kNow));
  EXPECT_TRUE(*projector->age("user_2", kNow));
}

TEST_F(AgingProjector, GoesOnWhereItStoodOnceTheDiskIsNoLongerFull) {
  FailingStore failing(store);
  ASSERT_TRUE(begin(failing));
  read_all();
  failing.fail_all_but_every(2);
  for (int step = 0; step < 10; ++step) {
    const auto aged = projector->age("user_1", kNow);
    if (!aged) {
      EXPECT_EQ(aged.error().code, ErrorCode::kUnavailable);
    }
  }
  EXPECT_EQ(overdue(projector->rows("user_1")), kTasks);
}

TEST(AgingLoop, TellsAnyoneWhoWaitsOnceAllHavePassed) {
  MemoryEventLog log(1);
  Node node(log, '0');
  std::uint64_t version = 0;
  append(log, record("user_1", version++, farm_registered()));
  for (std::uint64_t i = 0; i < kTasks; ++i) {
    append(log, record("user_1", version++, due_task(i)));
  }
  turn_until([&] { return node.rows("user_1").version() == version; }, {&node});
  const auto view = node.loop().projector().view("user_1");
  EXPECT_FALSE(lists_as_of(view->rows, kNow));
  std::optional<bool> told;
  node.loop().when_aged("user_1", kNow, [&](bool aged) {
    told = aged;
    EXPECT_EQ(lists_as_of(node.rows("user_1"), kNow), kNow);
  });
  turn_until([&] { return told.has_value(); }, {&node});
  EXPECT_EQ(told, true);
  EXPECT_EQ(overdue(view->rows), 0U) << "an open view does not change";
}

}  // namespace
}  // namespace tilth::testing
