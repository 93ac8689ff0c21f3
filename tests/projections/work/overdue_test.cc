#include "projections/work/overdue.h"

#include <algorithm>
#include <initializer_list>
#include <random>

#include "query/work/task.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAll = 1'000;

Timestamp after(std::chrono::milliseconds span) { return {kThen.at + span}; }

// Ages the rows to `now`, as the folding thread does, and returns the time as of which lists hold.
Timestamp aged(RowStore& store, Timestamp now, std::size_t at_once = kAll) {
  MutableRows rows(store, "user_1", 0);
  while (!lists_as_of(rows, now)) age(rows, now, at_once);
  return *lists_as_of(rows, now);
}

// Tasks that are added, changed and removed at random, and a plain vector that models them.
class AgingTasks : public ::testing::Test {
 protected:
  template <class T>
  T any(std::initializer_list<T> of) {
    return std::data(of)[random() % of.size()];
  }
  std::optional<Timestamp> some_due() {
    if (random() % 4 == 0) return std::nullopt;
    return after(std::chrono::milliseconds(random() % 60));
  }
  TaskDetails<Own> some_details() {
    TaskDetails<Own> details{.title = any({"Prune", "Pick", "prune", "\xC3\x84pfel"})};
    details.status = any({TaskStatus::kPending, TaskStatus::kInProgress, TaskStatus::kCompleted,
                          TaskStatus::kCancelled});
    details.priority = static_cast<TaskPriority>(random() % 4);
    details.due_date = some_due();
    if (random() % 2) details.assigned_to = any({"Omar", "", "omar"});
    return details;
  }
  FarmId some_farm() { return any({id<FarmId>('a'), id<FarmId>('b')}); }

  void step() {
    now = {now.at + std::chrono::milliseconds(random() % 3)};
    if (tasks.empty() || random() % 3 > 0) {
      Uuid uuid;
      for (auto& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random());
      const TaskCreated event{{{uuid}, {some_farm()}, some_details(), now}};
      happened.emplace_back(event);
    } else {
      const auto of = tasks[random() % tasks.size()].id;
      if (random() % 4 == 0) {
        happened.emplace_back(TaskRemoved{of, now});
      } else if (random() % 2) {
        happened.emplace_back(
            TaskRescheduled{of, after(std::chrono::milliseconds(random() % 60)), now});
      } else {
        happened.emplace_back(TaskAmended{of, {.status = {some_details().status}}, now});
      }
    }
    fold(store, "user_1", happened.back());
    tasks = Rows(store, "user_1", 0).list<Task>({}, {.limit = kAll}).rows;
  }

  std::vector<TaskId> expected(const ListTasks& query, const PageRequest& page, Timestamp at) {
    auto wanted = tasks;
    std::erase_if(wanted, [&](const Task& task) {
      const auto& due = task.details.due_date;
      const auto shown = task.shown(at);
      return (query.status && shown.details.status != *query.status) ||
             (query.farm_id && task.farm_id != *query.farm_id) ||
             (query.open && task.open() != *query.open) ||
             (query.assigned_to && task.details.assigned_to != query.assigned_to) ||
             (query.due_after && !(due && *due >= *query.due_after)) ||
             (query.due_before && !(due && *due < *query.due_before));
    });
    const auto key = [&](const Task& task) { return index_of(task).sorts()[page.sort]; };
    std::sort(wanted.begin(), wanted.end(), [&](const Task& a, const Task& b) {
      if (key(a).has_value() != key(b).has_value()) return key(a).has_value();
      const auto left = std::pair(key(a), a.id), right = std::pair(key(b), b.id);
      return page.order == Order::kAscending ? left < right : right < left;
    });
    std::vector<TaskId> ids;
    for (const auto& task : wanted) ids.push_back(task.id);
    return ids;
  }

  void compare(const ListTasks& query, const PageRequest& page, Timestamp at) {
    const auto all = expected(query, page, at);
    const auto answered = run_query(Rows(store, "user_1", 0), query, page);
    const auto& listed = *answered;
    ASSERT_EQ(listed.total, all.size());
    for (std::size_t i = 0; i < listed.rows.size(); ++i) {
      ASSERT_EQ(listed.rows[i].id.text(), all[(page.page - 1) * page.limit + i].text());
    }
    const auto begin = std::min<std::size_t>(all.size(), (page.page - 1) * page.limit);
    ASSERT_EQ(listed.rows.size(), std::min<std::size_t>(page.limit, all.size() - begin));
  }

  ListTasks some_query() {
    ListTasks query;
    if (random() % 2) query.status = static_cast<TaskStatus>(random() % 5);
    if (random() % 2) query.farm_id = some_farm();
    if (random() % 3 == 0) query.open = random() % 2 == 0;
    if (random() % 4 == 0) query.assigned_to = any({"Omar", "", "no one"});
    if (random() % 3 == 0) query.due_after = some_due();
    if (random() % 3 == 0) query.due_before = some_due();
    return query;
  }

  std::mt19937 random{23};
  RowBatch store;
  Timestamp now = kThen;
  std::vector<Event> happened;
  std::vector<Task> tasks;
};

TEST_F(AgingTasks, AreListedAsTheyAreShownAtEveryInstantInEveryOrderUnderEveryFilter) {
  for (int i = 0; i < 250; ++i) {
    step();
    if (random() % 3) continue;
    const auto at = aged(store, now, 1 + random() % 4);
    for (int j = 0; j < 8; ++j) {
      const PageRequest page{1 + random() % 3, 1 + random() % 9, random() % 4,
                             random() % 2 ? Order::kAscending : Order::kDescending};
      ASSERT_NO_FATAL_FAILURE(compare(some_query(), page, at)) << "after step " << i;
    }
  }
}

TEST_F(AgingTasks, ThatAreFoldedAgainAreKeptByteForByteTheSameWheneverTheyWereLookedAt) {
  for (int i = 0; i < 120; ++i) {
    step();
    if (i % 7 == 0) aged(store, now);
  }
  RowBatch rebuilt;
  for (const auto& event : happened) fold(rebuilt, "user_1", event);
  const auto late = after(1s);
  for (auto* each : {&store, &rebuilt}) {
    MutableRows rows(*each, "user_1", 0);
    while (!age(rows, late, kAll)) {
    }
  }
  EXPECT_EQ(store.changes(), rebuilt.changes());
}

TEST_F(AgingTasks, LeaveNothingBehindWhenTheyAreGone) {
  for (int i = 0; i < 60; ++i) step();
  aged(store, after(20ms));
  for (const auto& task : tasks) fold(store, "user_1", TaskRemoved{task.id, now});
  const auto kept = std::count_if(store.changes().begin(), store.changes().end(),
                                  [](const auto& change) { return change.second.has_value(); });
  EXPECT_LE(kept, 1) << "only the time as of which the lists hold";
}

TEST(Aging, WaitsForTheVeryMillisecond) {
  RowBatch store;
  fold(store, "user_1", task_created(kTask, {.title = "Prune", .due_date = after(10ms)}));
  const Rows rows(store, "user_1", 0);
  EXPECT_EQ(lists_as_of(rows, after(9ms)), after(9ms));
  EXPECT_EQ(lists_as_of(rows, after(10ms)), std::nullopt);
  EXPECT_EQ(aged(store, after(10ms)), after(10ms));
}

TEST(Aging, NeverGoesBack) {
  RowBatch store;
  fold(store, "user_1", task_created(kTask, {.title = "Prune", .due_date = after(10ms)}));
  aged(store, after(15ms));
  EXPECT_EQ(aged(store, after(5ms)), after(15ms));
}

TEST(Aging, MovesNoMoreAtOnceThanItIsAskedTo) {
  RowBatch store;
  for (const char digit : {'1', '2', '3'}) {
    fold(store, "user_1",
         task_created({id<TaskId>(digit)}, {.title = "Prune", .due_date = after(10ms)}));
  }
  MutableRows rows(store, "user_1", 0);
  EXPECT_FALSE(age(rows, after(10ms), 2));
  EXPECT_EQ(lists_as_of(rows, after(10ms)), std::nullopt);
  EXPECT_TRUE(age(rows, after(10ms), 2));
  EXPECT_EQ(lists_as_of(rows, after(10ms)), after(10ms));
}

TEST(Aging, DoesNotChangeWhatARequestIsRememberedBy) {
  const auto remembered = [](bool is_read_before) {
    RowBatch store;
    const auto create = [&store](TaskId id) {
      MutableRows rows(store, "user_1", 0);
      const TaskDetails<Own> details{.title = "Prune", .due_date = after(5ms)};
      registry().evolve(rows, TaskCreated{{id, {testing::id<FarmId>('a')}, details, kThen}});
      return rows.first_put()->bytes;
    };
    create(id<TaskId>('b'));
    if (is_read_before) aged(store, after(10ms));
    return create(kTask.task_id);
  };
  EXPECT_EQ(remembered(true), remembered(false));
}

TEST(Aging, DoesNotChangeWhatARequestWithoutAChangeIsRememberedBy) {
  const auto remembered = [](std::initializer_list<Timestamp> reads, Timestamp answered_at) {
    RowBatch store;
    MutableRows before(store, "user_1", 0);
    const TaskDetails<Own> details{.title = "Prune", .due_date = after(5ms)};
    registry().evolve(before,
                      TaskCreated{{kTask.task_id, {testing::id<FarmId>('a')}, details, kThen}});
    for (const auto at : reads) aged(store, at);
    MutableRows rows(store, "user_1", 1);
    registry().evolve(rows, RequestAnswered{"task", kTask.task_id.uuid, answered_at});
    return rows.first_put()->bytes;
  };
  EXPECT_EQ(remembered({after(10ms)}, after(10ms)), remembered({}, after(10ms)));
  EXPECT_EQ(remembered({after(10ms)}, after(1ms)), remembered({}, after(1ms)));
}

}  // namespace
}  // namespace tilth::testing
