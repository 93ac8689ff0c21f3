// What falls due by itself, among the commands of a stream and on several nodes.

#include "command/work/due_rules.h"
#include "command/work/recurring_task.h"
#include "command/work/task_template.h"
#include "projections/rows/lists/wake_list.h"
#include "tests/fixtures/command_fixture.h"

namespace tilth::testing {
namespace {

using std::chrono::days;
using namespace std::chrono_literals;

class FallsDueSpec : public CommandFixture {
 protected:
  FallsDueSpec() {
    add_rule("user_1");
    told.clear();
  }

  // Of a new farm and template of that owner.
  void add_rule(const std::string& owner) {
    carry_out(here, asked(register_farm(), owner));
    farm = outcomes.back()->event->get<FarmRegistered>().id;
    TaskTemplateDetails<Own> walk{.name = "Walk the rows"};
    carry_out(here, asked(deciding(CreateTaskTemplate{{}, walk}), owner));
    used = outcomes.back()->event->get<TaskTemplateCreated>().id;
    carry_out(here, asked(every_day(), owner));
    rule = outcomes.back()->event->get<RecurringTaskCreated>().id;
  }
  Decide every_day() const {
    return deciding(CreateRecurringTask{
        {}, farm, {.template_id = used, .pattern = RecurrencePattern::kDaily, .start_date = kNow}});
  }
  static CommandRequest only_what_is_due(const std::string& owner = "user_1") {
    return asked({}, owner);
  }

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

// Then others get their turn.
TEST_F(FallsDueSpec, IsCarriedOutInUpToFourPartsByOneVisit) {
  constexpr int kRules = 41;  // of which ten make the tasks of one part
  for (int other = 1; other < kRules; ++other) carry_out(here, asked(every_day()));
  wait(days(60));
  const auto parts = [this] {
    const auto before = here.rows("user_1").version();
    carry_out(here, only_what_is_due());
    return here.rows("user_1").version() - before;
  };
  EXPECT_EQ(parts(), 4U);
  EXPECT_EQ(parts(), 1U);
  EXPECT_EQ(parts(), 0U);
}

TEST_F(FallsDueSpec, IsNotLateOnceItHasHappened) {
  wait(days(1));
  start(here, only_what_is_due());
  turn_until([this] { return tasks(here) == 2; }, {&here});
  here.waited = 6s;
  run_until_done(here);
  EXPECT_EQ(told, "here: nothing\n");
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
  here.restart();
  carry_out(here, only_what_is_due());
  EXPECT_EQ(tasks(here), 2U);
}

// A node that decides what is due on one stream only once that of the others is folded.
class DueQueueSpec : public FallsDueSpec {
 protected:
  DueQueueSpec() {
    for (const auto* owner : {"user_2", "user_3"}) add_rule(owner);
    told.clear();
    started = answered = 0;
    turn_until([this] { return narrow.rows("user_3").count<RecurringTask>({}) == 1; }, {&narrow});
    wait(days(1));
    narrow.now = here.now;
  }

  // The visit of the first stream has appended an event that the log does not store; that of the
  // second one waits.
  void visit_two() {
    log.faults = {FlakyLog::Fault::kIsSilent};
    start(narrow, only_what_is_due("user_1"));
    start(narrow, only_what_is_due("user_2"));
    for (int turn = 0; turn < 10; ++turn) ASSERT_TRUE(narrow.loop().turn(0ms));
    ASSERT_EQ(log.silent.size(), 1U);
    ASSERT_EQ(told, "");
  }

  Node narrow{log, '2', {.due_bytes = 1}};
};

TEST_F(DueQueueSpec, TakesTurns) {
  for (const auto* owner : {"user_1", "user_2", "user_3"}) start(narrow, only_what_is_due(owner));
  run_until_done(narrow);
  EXPECT_EQ(told, "there: nothing\nthere user_2: nothing\nthere user_3: nothing\n");
  for (const auto* owner : {"user_1", "user_2", "user_3"}) {
    EXPECT_EQ(narrow.rows(owner).count<Task>({}), 2U) << owner;
  }
}

TEST_F(DueQueueSpec, DoesNotHoldUpACommandOfAClient) {
  visit_two();
  start(narrow, asked(register_farm("Oasis"), "user_3"));
  turn_until([this] { return answered == 1; }, {&narrow});
  EXPECT_EQ(told, "there user_3: tilth.farm.registered Oasis\n");
}

TEST_F(DueQueueSpec, DoesNotHoldUpACommandBehindAVisit) {
  visit_two();
  start(narrow, asked(register_farm("Oasis"), "user_2"));
  turn_until([this] { return answered == 2; }, {&narrow});
  EXPECT_EQ(told, "there user_2: nothing\nthere user_2: tilth.farm.registered Oasis\n");
}

TEST_F(DueQueueSpec, EndsAVisitInTimeIfNothingIsFolded) {
  visit_two();
  narrow.waited = 6s;
  run_until_done(narrow);
  EXPECT_EQ(told,
            "there: refused: The log did not answer in time; whether this was done is not known.\n"
            "there user_2: refused: The log did not answer in time; whether this was done is not "
            "known.\n");
}

TEST_F(DueQueueSpec, KeepsAVisitAsLongAsOthersAreFolded) {
  visit_two();
  narrow.waited = 4s;
  start(narrow, asked(register_farm("Oasis"), "user_3"));
  turn_until([this] { return answered == 1; }, {&narrow});
  told.clear();
  narrow.waited = 6s;
  run_until_done(narrow);
  EXPECT_EQ(told,
            "there: refused: The log did not answer in time; whether this was done is not known.\n"
            "there user_2: nothing\n");
  EXPECT_EQ(narrow.rows("user_2").count<Task>({}), 2U);
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
