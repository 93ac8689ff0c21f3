// The overrides that operators apply to a projector: pausing it, and skipping an event.

#include "events/log/event_record.h"
#include "projections/access/user.h"
#include "projections/fold/fold_record.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using Strings = std::vector<std::string>;

class ProjectorOrdersSpec : public ProjectorFixture {
 protected:
  void poisoned(const std::string& stream) {
    auto poison = record(stream, versions[stream]++, field_registered(), "the-poison");
    poison.envelope.type = "tilth.field.enchanted";
    append(log, poison);
  }
  Result<bool> turn() { return projector->follow(kAtOnce); }
  Position poison() const { return projector->progress().poison.value().position; }

  static OperatorOverrides passing_over(const Position& at) {
    return {.skipped = {{at.partition, at.offset, "the-poison", "It is poison.", kNow}}};
  }
};

TEST_F(ProjectorOrdersSpec, APausedOneFoldsNothing) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  happened("user_1", field_registered());
  projector->apply_overrides({.paused = true});
  EXPECT_TRUE(projector->is_halted());
  EXPECT_FALSE(projector->faulted());
  EXPECT_EQ(turn().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(projector->progress().state, ProjectionState::kPaused);
  EXPECT_EQ(projector->progress().reason, kPausedByAnOperator);
  EXPECT_EQ(heard, (Strings{"user_1.0"}));
}

TEST_F(ProjectorOrdersSpec, APausedOneLacksNothingBeforeTheLogHasWhatItWouldFold) {
  const UserRegistered user{"user_AAAAAAAAAAAAAAAAAAAAA", "a@farm.example", {}, "seed", {}, kThen};
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  projector->apply_overrides({.paused = true});
  EXPECT_FALSE(*turn());
  EXPECT_FALSE(projector->lacks_events());
  happened("access", user);  // another projection's
  EXPECT_TRUE(*turn());
  EXPECT_FALSE(projector->lacks_events());
  EXPECT_EQ(projector->next(log.partition_of("access")), 1);
  happened("user_1", field_registered());
  EXPECT_FALSE(turn());
  EXPECT_TRUE(projector->lacks_events());
}

TEST_F(ProjectorOrdersSpec, GoesOnWhereItWasPaused) {
  projector.reset();
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  projector->apply_overrides({.paused = true});
  EXPECT_FALSE(turn());
  projector->apply_overrides({});
  EXPECT_FALSE(projector->is_halted());
  EXPECT_FALSE(projector->lacks_events());
  EXPECT_EQ(projector->progress().state, ProjectionState::kCatchingUp);
  EXPECT_EQ(projector->progress().reason, "");
  read_all();
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);
  EXPECT_EQ(heard, (Strings{"user_1.0"}));
}

TEST_F(ProjectorOrdersSpec, AFaultedOneNamesItsPoisonAndLacksIt) {
  happened("user_1", farm_registered());
  poisoned("user_1");
  ASSERT_TRUE(begin());
  EXPECT_FALSE(turn());
  EXPECT_TRUE(projector->lacks_events());
  EXPECT_EQ(poison(), (Position{log.partition_of("user_1"), 1}));
  EXPECT_EQ(projector->progress().poison->event_id, "the-poison");
}

TEST_F(ProjectorOrdersSpec, StopsAtWhatIsNoRecordOfOursUntilItIsToldToPassItOver) {
  happened("user_1", farm_registered());
  append(log, {.stream = "user_1", .envelope = {.id = "?"}, .foreign = "It is none of ours."});
  happened("user_1", field_registered());
  ASSERT_TRUE(begin());
  EXPECT_FALSE(turn());
  EXPECT_TRUE(projector->faulted());
  EXPECT_EQ(projector->progress().reason, "It is none of ours.");
  EXPECT_EQ(poison(), (Position{log.partition_of("user_1"), 1}));
  projector->apply_overrides(passing_over(poison()));
  read_all();
  EXPECT_FALSE(projector->faulted());
  EXPECT_EQ(projector->rows("user_1").version(), 2U);
}

// Its stream has the same version wherever it could be read.
TEST_F(ProjectorOrdersSpec, CountsAnEventThatThisProcessCannotReadOnceItPassesItOver) {
  happened("user_1", farm_registered());
  auto closed = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  set_unreadable(closed, R"(The key "user_1" is missing.)");
  append(log, closed);
  happened("user_1", field_registered());
  ASSERT_TRUE(begin());
  EXPECT_FALSE(turn());
  EXPECT_EQ(poison(), (Position{log.partition_of("user_1"), 1}));
  EXPECT_TRUE(projector->progress().reason.ends_with(R"(: The key "user_1" is missing.)"))
      << projector->progress().reason;
  projector->apply_overrides(passing_over(poison()));
  read_all();
  EXPECT_FALSE(projector->faulted());
  EXPECT_EQ(projector->rows("user_1").version(), 3U);
}

TEST_F(ProjectorOrdersSpec, WhatNamesNoStreamOfOursMayHaveBeenMeantForAnyOwner) {
  const Record foreign{.stream = "", .envelope = {}, .foreign = "It is none of ours."};
  EXPECT_TRUE(concerns(registry(), foreign));
  EXPECT_FALSE(concerns(access(), foreign));
  EXPECT_TRUE(
      concerns(access(), {.stream = "access", .envelope = {}, .foreign = "It is none of ours."}));
  EXPECT_FALSE(
      concerns(registry(), {.stream = "access", .envelope = {}, .foreign = "It is none of ours."}));
}

TEST_F(ProjectorOrdersSpec, PassesOverThePoisonAsIfItHadChangedNothing) {
  happened("user_1", farm_registered());
  poisoned("user_1");
  happened("user_1", field_registered());
  ASSERT_TRUE(begin());
  EXPECT_FALSE(turn());
  const auto overrides = passing_over(poison());
  projector->apply_overrides(overrides);
  EXPECT_FALSE(projector->faulted());
  EXPECT_FALSE(projector->progress().poison);
  EXPECT_TRUE(*turn());
  EXPECT_EQ(projector->rows("user_1").version(), 3U) << "its stream continues";
  EXPECT_TRUE(find(projector->rows("user_1"), kField));
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);

  MemoryProjectionStore rebuilt;
  projector = std::make_unique<Projector>(log, rebuilt, registry(), [](const auto&...) {});
  projector->apply_overrides(overrides);
  ASSERT_TRUE(projector->open());
  read_all();
  EXPECT_TRUE(store.kept() == rebuilt.kept()) << "and every later fold skips it";
}

TEST_F(ProjectorOrdersSpec, AnEventThatIsPassedOverIsSoEvenWhereItCouldBeReadLater) {
  happened("user_1", farm_registered(), field_registered());
  ASSERT_TRUE(begin());
  projector->apply_overrides(passing_over({log.partition_of("user_1"), 1}));
  read_all();
  EXPECT_FALSE(find(projector->rows("user_1"), kField));
}

}  // namespace
}  // namespace tilth::testing
