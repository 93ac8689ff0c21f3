// What a projector does when its rows cannot be read or written.

#include "projections/access/user.h"
#include "projections/history/bounded_log.h"
#include "tests/fixtures/command_fixture.h"
#include "tests/fixtures/damaged_store.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using Strings = std::vector<std::string>;

class ProjectorDamageSpec : public ProjectorFixture {
 protected:
  Result<bool> turn() { return projector->follow(kAtOnce); }

  // Folds everything before `ends` into another store.
  void fold_again(ProjectionStore& into, const std::vector<Position>& ends) {
    BoundedLog part(log);
    part.end_before(ends);
    Projector rebuilt(part, into, registry(), [](const auto&...) {});
    ASSERT_TRUE(rebuilt.open());
    for (auto more = rebuilt.follow(kAtOnce); more && *more;) more = rebuilt.follow(kAtOnce);
  }

  DamagedStore damaged{store};
};

TEST_F(ProjectorDamageSpec, IsFaultedByRowsThatCannotBeReadAndFoldsNothing) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin(damaged));
  read_all();
  happened("user_1", field_registered());
  damaged.harm();
  EXPECT_EQ(turn().error().code, ErrorCode::kDamaged);
  EXPECT_TRUE(projector->unreadable());
  EXPECT_TRUE(projector->faulted());
  const auto progress = projector->progress();
  EXPECT_EQ(progress.state, ProjectionState::kFaulted);
  EXPECT_EQ(progress.reason, "The rows cannot be read: they are damaged.");
  EXPECT_FALSE(progress.poison) << "no event is at fault";
  damaged.heal();
  EXPECT_FALSE(turn()) << "it needs other rows first";
  EXPECT_EQ(heard, (Strings{"user_1.0"}));
}

TEST_F(ProjectorDamageSpec, LacksNothingBeforeTheLogHasWhatItWouldFold) {
  const UserRegistered user{"user_AAAAAAAAAAAAAAAAAAAAA", "a@farm.example", {}, "seed", {}, kThen};
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin(damaged));
  read_all();
  projector->cannot_read({"damaged", "Somebody met them."});
  happened("access", user);  // another projection's
  EXPECT_FALSE(turn());
  EXPECT_FALSE(projector->lacks_events());
  EXPECT_TRUE(find(projector->view("user_1")->rows, kFarm)) << "rows that can be read are shown";
  happened("user_1", field_registered());
  EXPECT_FALSE(turn());
  EXPECT_TRUE(projector->lacks_events());
}

TEST_F(ProjectorDamageSpec, GoesOnWithOtherRowsAndTellsOfEachRecordOnce) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin(damaged));
  read_all();
  happened("user_1", field_registered());
  damaged.harm();
  EXPECT_FALSE(turn());
  MemoryProjectionStore rebuilt;
  fold_again(rebuilt, projector->progress().next);
  projector->adopt(rebuilt);
  EXPECT_FALSE(projector->faulted());
  EXPECT_FALSE(projector->lacks_events());
  EXPECT_EQ(projector->progress().reason, "");
  read_all();
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);
  EXPECT_EQ(heard, (Strings{"user_1.0", "user_1.1"}));
  EXPECT_TRUE(find(projector->view("user_1")->rows, kField));
}

TEST_F(ProjectorDamageSpec, TellsOfARemovalThatItCouldNotFinish) {
  happened("user_1", farm_registered());
  for (int i = 0; i < 200; ++i) {
    auto task = task_created();
    task.id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
    happened("user_1", task);
  }
  ASSERT_TRUE(begin(damaged));
  read_all();
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow});
  ASSERT_TRUE(turn());
  ASSERT_TRUE(projector->cascading("user_1"));
  const auto told = heard.size();
  damaged.harm();
  EXPECT_FALSE(turn());
  EXPECT_EQ(heard.size(), told);
  MemoryProjectionStore rebuilt;
  fold_again(rebuilt, projector->progress().next);
  projector->adopt(rebuilt);
  EXPECT_EQ(heard.size(), told + 1);
  EXPECT_TRUE(projector->no_cascade_pending());
  EXPECT_FALSE(find(projector->view("user_1")->rows, kFarm));
}

TEST_F(ProjectorDamageSpec, DoesNotOpenWhereItCannotReadWhereItStood) {
  damaged.harm();
  EXPECT_EQ(begin(damaged).error().code, ErrorCode::kDamaged);
}

TEST_F(ProjectorDamageSpec, DoesNotRunWhileItsRowsCannotBeWrittenAndSaysWhy) {
  FailingStore failing(store);
  ASSERT_TRUE(begin(failing));
  read_all();
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);
  happened("user_1", farm_registered());
  failing.fail_all_but_every(1'000);
  EXPECT_FALSE(turn());
  EXPECT_TRUE(projector->progress().held_up);
  EXPECT_EQ(projector->progress().state, ProjectionState::kCatchingUp);
  EXPECT_EQ(projector->progress().reason, "The disk is full.");
  failing.fail_all_but_every(1);
  read_all();
  EXPECT_FALSE(projector->progress().held_up);
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);
  EXPECT_EQ(projector->progress().reason, "");
}

class CommandsOnDamage : public ::testing::Test {
 protected:
  Result<CommandResult> carried_out(Decide decide) {
    std::optional<Result<CommandResult>> end;
    loop.carry_out({.stream = "user_1", .actor = "key_1", .request_id = "r", .decide = decide},
                   [&](const Result<CommandResult>& outcome) { end = outcome; });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!end && std::chrono::steady_clock::now() < deadline) {
      static_cast<void>(loop.turn(std::chrono::milliseconds(0)));
    }
    return end.value();
  }

  FlakyLog log;
  MemoryProjectionStore under;
  DamagedStore store{under};
  CommandLoop loop{log,
                   store,
                   registry(),
                   {.node = "here", .now = [] { return kNow; }, .new_id = [] { return Uuid(); }}};
};

TEST_F(CommandsOnDamage, AreRefusedAndFaultTheProjection) {
  ASSERT_TRUE(loop.open());
  ASSERT_TRUE(carried_out(register_farm("One")));
  store.harm();
  const auto refused = carried_out(register_farm("Two"));
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().message, "Changes are stopped: the read model cannot be read.");
  EXPECT_TRUE(loop.projector().unreadable());
  EXPECT_EQ(carried_out(register_farm("Three")).error().code, ErrorCode::kUnavailable);
  bool aged = true;
  loop.when_aged("user_1", kNow, [&](bool has) { aged = has; });
  static_cast<void>(loop.turn(std::chrono::milliseconds(0)));
  EXPECT_FALSE(aged) << "at once, and not after its timeout";
}

}  // namespace
}  // namespace tilth::testing
