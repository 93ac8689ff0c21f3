// The simulation's judge of rules can fail: tasks that are missing, doubled or out of time are
// noticed.

#include "tests/simulation/plain_occurrences.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

constexpr std::string_view kGrower = "user_1";
const auto kBirch = id<FarmId>('a');
const auto kTemplate = id<TaskTemplateId>('b');
const auto kRule = id<RecurringTaskId>('c');

Timestamp at(std::string_view text) { return parsed<Timestamp>(text); }

// A farm, a template, and a rule that makes a task each day at 07:00 in New York.
class DailyRules : public ::testing::Test {
 protected:
  explicit DailyRules(std::int64_t tasks_a_day = 10'000) : occurrences_(tasks_a_day) {}

  static constexpr std::string_view kBegin = "2026-03-06T12:00:00Z";

  void SetUp() override {
    FarmRegistered farm{{kBirch, {}, {.name = "Birch", .total_area = Decimal(10)}, at(kBegin)}};
    farm.details.timezone = TimeZone::stored("America/New_York");
    EXPECT_EQ(take(farm, kBegin), "");
    TaskTemplateCreated prune{{kTemplate, {}, {.name = "Prune"}, at(kBegin)}};
    prune.created_by = kGrower;
    EXPECT_EQ(take(prune, kBegin), "");
    RecurringTaskCreated rule{{kRule, {kBirch}, {.template_id = kTemplate}, at(kBegin)}, {}, {}};
    rule.details.start_date = at(kBegin);
    rule.schedule = made({kBegin}, "2026-03-07T12:00:00Z");
    rule.created_by = kGrower;
    EXPECT_EQ(take(rule, kBegin), "");
  }

  static RuleSchedule made(const std::vector<std::string_view>& dates, std::string_view next) {
    RuleSchedule schedule{.next_occurrence = at(next), .rrule = ""};
    if (!dates.empty()) schedule.makes = TaskDetails<Own>{};
    for (const auto date : dates) {
      auto task = kRule.uuid;
      task.bytes[0] = ++tasks_;
      schedule.tasks.push_back({TaskId{task}, at(date)});
    }
    return schedule;
  }

  // By a client, or else by the clock.
  std::string take(Event event, std::string_view time, bool by_clock = false) {
    Record record{.stream = std::string(kGrower), .envelope = {}};
    record.envelope.time = at(time);
    if (by_clock) record.envelope.actor = kClockActor;
    write_event(std::move(event), record);
    auto wrong = occurrences_.check_made(record, records_);
    if (wrong.empty()) wrong = records_.take(record);
    return wrong.empty() ? occurrences_.take(record, records_) : wrong;
  }

  std::string advance(const RuleSchedule& schedule, std::string_view time) {
    return take(RecurringTasksAdvanced{.rules = {{kRule, schedule}}, .advanced_at = at(time)}, time,
                true);
  }

  std::string set_active(bool active, std::string_view time) {
    TaskTemplateAmended change{{kTemplate, {}, at(time)}};
    change.changes.is_active.to = active;
    return take(change, time);
  }

 private:
  static inline std::uint8_t tasks_ = 0;
  PlainRecords records_;
  PlainOccurrences occurrences_;
};

TEST_F(DailyRules, FollowTheClocksOfTheirFarm) {
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z", "2026-03-08T11:00:00Z"}, "2026-03-09T11:00:00Z"),
                    "2026-03-08T11:00:00Z"),
            "");
}

TEST_F(DailyRules, DoNotMakeATaskAnHourLate) {
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z", "2026-03-08T12:00:00Z"}, "2026-03-09T12:00:00Z"),
                    "2026-03-08T12:00:00Z"),
            "a rule has made other tasks than were due");
}

TEST_F(DailyRules, LeaveNoOccurrenceOut) {
  EXPECT_EQ(advance(made({"2026-03-08T11:00:00Z"}, "2026-03-09T11:00:00Z"), "2026-03-08T11:00:00Z"),
            "a rule has made other tasks than were due");
}

TEST_F(DailyRules, HaveMadeWhatWasDueBeforeAClientsChange) {
  EXPECT_EQ(set_active(false, "2026-03-07T11:59:59Z"), "");
  EXPECT_EQ(set_active(true, "2026-03-07T11:59:59Z"), "");
  EXPECT_EQ(set_active(false, "2026-03-07T12:00:00Z"),
            "a rule has not made a task that was due before");
}

TEST_F(DailyRules, MakeAnOccurrenceOnce) {
  EXPECT_EQ(advance(made({kBegin}, "2026-03-07T12:00:00Z"), "2026-03-07T11:00:00Z"),
            "a task is of a time that was over");
}

TEST_F(DailyRules, MakeNothingWhileTheyRest) {
  EXPECT_EQ(set_active(false, "2026-03-07T11:00:00Z"), "");
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z"}, "2026-03-08T11:00:00Z"), "2026-03-07T12:00:00Z"),
            "a rule that rests has made a task");
}

TEST_F(DailyRules, DoNotMakeUpForAPause) {
  EXPECT_EQ(set_active(false, "2026-03-07T11:00:00Z"), "");
  EXPECT_EQ(set_active(true, "2026-03-07T13:00:00Z"), "");
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z"}, "2026-03-08T11:00:00Z"), "2026-03-07T13:00:00Z"),
            "a task is of a time that was over");
}

// At most one task may be made on a day.
class RulesOfFewTasks : public DailyRules {
 protected:
  static constexpr std::string_view kFull = "2026-03-08T11:00:00Z";

  RulesOfFewTasks() : DailyRules(1) {}

  // Two occurrences are due.
  std::string put_off() { return advance(made({}, "2026-03-07T12:00:00Z"), kFull); }
};

TEST_F(RulesOfFewTasks, WaitForTheNextDay) {
  EXPECT_EQ(put_off(), "");
  EXPECT_EQ(set_active(true, "2026-03-08T23:59:59Z"), "");
  EXPECT_EQ(set_active(true, "2026-03-09T00:00:00Z"),
            "a rule has not made a task that was due before");
}

TEST_F(RulesOfFewTasks, MakeNoMore) {
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z", "2026-03-08T11:00:00Z"}, "2026-03-09T11:00:00Z"),
                    kFull),
            "rules have made more tasks than they may on a day");
}

TEST_F(RulesOfFewTasks, DoNotWaitForNothing) {
  EXPECT_EQ(advance(made({}, "2026-03-07T12:00:00Z"), "2026-03-07T12:00:00Z"),
            "a rule has made other tasks than were due");
}

TEST_F(RulesOfFewTasks, RefuseARequestThatMakesMore) {
  RecurringTaskAmended ahead{{kRule, {}, at("2026-03-06T13:00:00Z")},
                             made({}, "2026-03-07T12:00:00Z")};
  ahead.changes.generate_days_before.to = 2;
  EXPECT_EQ(take(ahead, "2026-03-06T13:00:00Z"),
            "a request was not refused that the day has no tasks for");
}

TEST_F(RulesOfFewTasks, DoNotMakeUpForWhatWasPutOffBeforeAPause) {
  EXPECT_EQ(put_off(), "");
  EXPECT_EQ(set_active(false, "2026-03-08T12:00:00Z"), "");
  EXPECT_EQ(set_active(true, "2026-03-08T13:00:00Z"), "");
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z"}, "2026-03-08T11:00:00Z"), "2026-03-09T00:00:00Z"),
            "a task is of a time that was over");
}

TEST_F(DailyRules, StopOnceTheirTemplateIsGone) {
  EXPECT_EQ(
      take(TaskTemplateRemoved{{kTemplate, at("2026-03-06T13:00:00Z")}}, "2026-03-06T13:00:00Z"),
      "");
  FarmAmended renamed{{kBirch, {}, at("2026-03-06T14:00:00Z")}};
  renamed.changes.name.to = "Oak";
  EXPECT_EQ(take(renamed, "2026-03-06T14:00:00Z"), "a rule goes on whose template was removed");
}

TEST_F(DailyRules, SayWhatComesNext) {
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z"}, "2026-03-09T11:00:00Z"), "2026-03-07T12:00:00Z"),
            R"(the nextOccurrence of a rule is "2026-03-09T11:00:00.000Z" instead of )"
            R"("2026-03-08T11:00:00.000Z")");
}

TEST_F(DailyRules, GoOnByTheNewClocksOfTheirFarm) {
  EXPECT_EQ(advance(made({"2026-03-07T12:00:00Z"}, "2026-03-08T11:00:00Z"), "2026-03-07T12:00:00Z"),
            "");
  FarmAmended moved{{kBirch, {}, at("2026-03-07T13:00:00Z")}};
  moved.changes.timezone.to = TimeZone::stored("UTC");
  EXPECT_EQ(take(moved, "2026-03-07T13:00:00Z"), "");
  EXPECT_EQ(set_active(true, "2026-03-07T14:00:00Z"),
            R"(the nextOccurrence of a rule is "2026-03-08T11:00:00.000Z" instead of )"
            R"("2026-03-08T12:00:00.000Z")");
}

}  // namespace
}  // namespace tilth::testing
