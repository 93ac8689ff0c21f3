// What falls due by itself, among the commands of a stream and on several nodes.

#include "command/work/due_rules.h"
#include "command/work/recurring_task.h"
#include "command/work/task_template.h"
#include "projections/rows/lists/wake_list.h"
#include "tests/fixtures/command_fixture.h"

namespace tilth::testing {
namespace {

using std::chrono::days;

class FallsDueSpec : public CommandFixture {
 protected:
  FallsDueSpec() {
    carry_out(here, asked(register_farm()));
    farm = outcomes.back()->event->get<FarmRegistered>().id;
    TaskTemplateDetails<Own> walk{.name = "Walk the rows"};
    carry_out(here, asked(deciding(CreateTaskTemplate{{}, walk})));
    used = outcomes.back()->event->get<TaskTemplateCreated>().id;
    carry_out(here, asked(every_day()));
    rule = outcomes.back()->event->get<RecurringTaskCreated>().id;
    told.clear();
  }

  Decide every_day() const {
    return deciding(CreateRecurringTask{
        {}, farm, {.template_id = used, .pattern = RecurrencePattern::kDaily, .start_date = kNow}});
  }
  CommandRequest only_what_is_due() const { return asked({}); }

  void wait(std::chrono::milliseconds time) {
    for (auto* node : {&here, &there}) node->now = {node->now.at + time};
  }
  std::uint64_t tasks(Node& node) { return node.rows("user_1").count<Task>({}); }
  // The types of the last records of the log.
  std::string last(std::size_t count) {
    const auto reader = log.read({{log.partition_of("user_1"), 0}});
    const auto records = *(*reader)->next(1'000, std::chrono::milliseconds(0));
    std::string types;
    for (auto i = records.size() - count; i < records.size(); ++i) {
      const auto& envelope = records[i].record->envelope;
      types += envelope.type + " by " + envelope.actor + "\n";
    }
    return types;
  }

  FarmId farm;
  TaskTemplateId used;
  RecurringTaskId rule;
};

TEST_F(FallsDueSpec, ComesBeforeACommandThatIsDecidedLater) {
  wait(days(1));
  carry_out(here, asked(register_farm("Oasis")));
  EXPECT_EQ(told, "here: tilth.farm.registered Oasis\n");
  EXPECT_EQ(last(2),
            "tilth.recurring_task.advanced by clock\n"
            "tilth.farm.registered by key_1\n");
  EXPECT_EQ(tasks(here), 2U);
}

TEST_F(FallsDueSpec, HappensBeforeTheCommandThatMadeItDueIsAnswered) {
  start(here, asked(deciding(Delete<TaskTemplate>{{used}})));
  turn_until([&] { return answered == started; }, {&here});
  EXPECT_FALSE(here.rows("user_1").find(rule)->details.is_active);
  EXPECT_EQ(told, "here: tilth.task_template.removed\n");
  EXPECT_EQ(last(2),
            "tilth.task_template.removed by key_1\n"
            "tilth.recurring_task.stopped by clock\n");
}

TEST_F(FallsDueSpec, HidesNotThatTheCommandIsDoneWhereItIsNot) {
  log.faults = {FlakyLog::Fault::kNone, FlakyLog::Fault::kIsSilent};
  start(here, asked(deciding(Delete<TaskTemplate>{{used}})));
  turn_until([&] { return log.silent.size() == 1; }, {&here});
  EXPECT_EQ(told, "");
  here.loop().shutdown();
  EXPECT_EQ(told, "here: tilth.task_template.removed\n");
}

TEST_F(FallsDueSpec, IsAllThatACommandWithoutADecisionAsksFor) {
  wait(days(3));
  carry_out(here, only_what_is_due());
  EXPECT_EQ(tasks(here), 4U);
  const auto version = here.rows("user_1").version();
  carry_out(here, only_what_is_due());
  EXPECT_EQ(here.rows("user_1").version(), version) << "nothing more was due";
}

TEST_F(FallsDueSpec, HappensOnceHoweverManyNodesSeeToIt) {
  for (int day = 0; day < 5; ++day) {
    wait(days(1));
    start(here, only_what_is_due());
    start(there, only_what_is_due());
    run_until_done();
  }
  turn_until([&] { return tasks(there) == 6U; }, {&here, &there});
  EXPECT_EQ(tasks(here), 6U);
}

TEST_F(FallsDueSpec, HappensOnceThoughANodeBeganAnew) {
  wait(days(1));
  start(here, only_what_is_due());
  EXPECT_TRUE(here.loop().turn(std::chrono::milliseconds(0)));  // appends the record
  answered = started;
  here.restart();
  carry_out(here, only_what_is_due());
  EXPECT_EQ(tasks(here), 2U);
}

TEST_F(FallsDueSpec, IsSeenAtTheHeadOfOneList) {
  EXPECT_EQ(next_wake(here.store().newest()), Timestamp{kNow.at + days(1)});
  auto request = asked(register_farm());
  request.stream = "user_2";
  carry_out(here, std::move(request));
  const auto& state = here.store().newest();
  EXPECT_TRUE(streams_to_wake(state, kNow, 10).empty());
  EXPECT_EQ(streams_to_wake(state, {kNow.at + days(1)}, 10), std::vector<std::string>{"user_1"});
  carry_out(here, asked(deciding(Delete<RecurringTask>{{rule}})));
  EXPECT_FALSE(next_wake(here.store().newest()));
}

}  // namespace
}  // namespace tilth::testing
