// How commands are carried out while several nodes decide, acknowledgements get lost, and no thread
// blocks.

#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>

#include "command/land/plant.h"
#include "command/library/user_crop.h"
#include "command/loop/command_times.h"
#include "tests/fixtures/command_fixture.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using enum FlakyLog::Fault;

class CommandLoopSpec : public CommandFixture {
 protected:
  // The first farm of `here`: a decision takes an id, and so does its record.
  const FarmPath kFirst{parsed<FarmId>("00000000-0000-4000-8000-000000000001")};
};

TEST_F(CommandLoopSpec, CarriesOutTheCommandsOfAnOwnerOneAfterAnother) {
  start(here, asked(register_farm()));
  start(here, asked(deciding(Delete<Farm>{kFirst})));
  start(here, asked(register_farm()));
  run_until_done();
  EXPECT_EQ(told,
            "here: tilth.farm.registered Al Noor\n"
            "here: tilth.farm.removed\n"
            "here: tilth.farm.registered Al Noor\n");
  EXPECT_EQ(here.rows("user_1").version(), 3U);
}

TEST_F(CommandLoopSpec, TellsFromWhereOnReadsSeeIt) {
  const auto outcome = carried_out(here, asked(register_farm()));
  ASSERT_TRUE(outcome->position);
  EXPECT_TRUE(here.loop().projector().view("user_1", outcome->position));
}

TEST_F(CommandLoopSpec, WritesWhoAskedAndWhatItWasDecidedOn) {
  carry_out(here, asked(register_farm()));
  carry_out(here, keyed(register_farm("Oasis"), "k"));
  const auto reader = log.read({{log.partition_of("user_1"), 0}});
  const auto records = *(*reader)->next(10, std::chrono::milliseconds(0));
  ASSERT_EQ(records.size(), 2U);
  const auto& envelope = records[1].record->envelope;
  EXPECT_EQ(records[1].record->stream, "user_1");
  EXPECT_EQ(envelope.type, "tilth.farm.registered");
  EXPECT_EQ(envelope.actor, "key_1");
  EXPECT_EQ(envelope.correlation_id, "r");
  EXPECT_EQ(envelope.source, "0");
  EXPECT_EQ(envelope.time, kNow);
  EXPECT_EQ(envelope.stream_version, 1U);
  EXPECT_EQ(envelope.idempotency, (Idempotency{"k", "hash"}));
  EXPECT_FALSE(records[0].record->envelope.idempotency);
  EXPECT_EQ(envelope.traceparent, "");
}

TEST_F(CommandLoopSpec, WritesTheTraceAndNotesWhenItDidWhat) {
  const auto times = std::make_shared<CommandTimes>();
  auto request = asked(register_farm());
  request.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  request.times = times;
  const auto before = std::chrono::steady_clock::now();
  carry_out(here, std::move(request));
  const auto reader = log.read({{log.partition_of("user_1"), 0}});
  const auto records = *(*reader)->next(10, std::chrono::milliseconds(0));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].record->envelope.traceparent,
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  const auto deciding = times->deciding(), appending = times->appending(),
             projecting = times->projecting();
  EXPECT_LE(before, deciding.begun);
  EXPECT_LE(deciding.begun, deciding.ended);
  EXPECT_LE(deciding.ended, appending.begun);
  EXPECT_LE(appending.begun, appending.ended);
  EXPECT_EQ(appending.ended, projecting.begun);
  EXPECT_LE(projecting.begun, projecting.ended);
  EXPECT_LE(projecting.ended, std::chrono::steady_clock::now());
}

TEST_F(CommandLoopSpec, DecidesAgainWhenAnotherNodeTookTheVersion) {
  start(here, asked(register_farm()));
  start(there, asked(register_farm()));
  run_until_done();
  std::sort(told.begin(), told.end());
  std::string expected =
      "here: tilth.farm.registered Al Noor\n"
      "there: refused: Another farm has this name.\n";
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(told, expected);
}

TEST_F(CommandLoopSpec, RefusesOnlyOnThePresent) {
  start(here, asked(register_farm()));
  run_until_done(here);  // `there` has not read it
  const auto remove = deciding(Delete<Farm>{kFirst});
  EXPECT_EQ(line(remove(there.rows("user_1"), {})), "refused: There is no such farm.");
  told.clear();
  start(there, asked(remove));
  run_until_done();
  EXPECT_EQ(told, "there: tilth.farm.removed\n");
}

TEST_F(CommandLoopSpec, SaysThatNothingChangedOnlyOnThePresent) {
  start(here, asked(register_farm()));
  run_until_done(here);
  told.clear();
  auto amend = asked(deciding(Update<Farm>{kFirst, {}}));
  amend.shown_table = Farm::kTable;
  amend.shown_id = kFirst.farm_id.uuid;
  start(there, amend);
  run_until_done();
  EXPECT_EQ(told, "there: nothing Al Noor\n");
  EXPECT_EQ(outcomes.back()->position, (Position{log.partition_of("user_1"), 0}));
  EXPECT_EQ(there.rows("user_1").version(), 1U);
}

TEST_F(CommandLoopSpec, HappensOnceThoughAnswersAndRecordsGetLost) {
  log.faults = {kLosesTheRecord, kLosesTheRecord, kLosesTheAnswer, kLosesTheAnswer};
  start(here, asked(register_farm()));
  start(here, asked(deciding(Delete<Farm>{kFirst})));
  run_until_done();
  EXPECT_EQ(told,
            "here: tilth.farm.registered Al Noor\n"
            "here: tilth.farm.removed\n");
  EXPECT_EQ(here.rows("user_1").version(), 2U);
}

TEST_F(CommandLoopSpec, CarriesOutOtherOwnersCommandsWhileOneWaits) {
  log.faults = {kIsSilent};
  start(here, asked(register_farm(), "user_1"));
  turn_until([this] { return log.silent.size() == 1; }, {&here});
  start(here, asked(register_farm(), "user_2"));
  turn_until([this] { return answered == 1; }, {&here});
  EXPECT_EQ(told, "here user_2: tilth.farm.registered Al Noor\n");
  log.append(log.silent.front(), [](const auto&) {});
  run_until_done();
  EXPECT_EQ(here.loop().waiting(), 0U);
}

TEST_F(CommandLoopSpec, AnswersThatNoOneKnowsAndGoesOnWithTheNextCommand) {
  log.faults = {kIsSilent};
  start(there, asked(register_farm()));
  turn_until([this] { return log.silent.size() == 1; }, {&there});
  there.waited = std::chrono::seconds(10);
  turn_until([this] { return answered == 1; }, {&there});
  EXPECT_EQ(outcomes.back().error().code, ErrorCode::kUnavailable);
  EXPECT_GT(outcomes.back().error().retry_after_seconds, 0);
  log.append(log.silent.front(), [](const auto&) {});  // it was appended all the same
  const auto outcome = carried_out(here, asked(register_farm()));
  EXPECT_EQ(outcome.error().code, ErrorCode::kConflict) << "the farm exists";
}

TEST_F(CommandLoopSpec, AnswersWhenTheLogDoesNotTellItsEnd) {
  log.knows_its_end = false;
  start(there, asked(deciding(Delete<Farm>{kFarm})));
  turn_until([this] { return log.ends_asked == 1; }, {&there});
  there.waited = std::chrono::seconds(10);
  turn_until([this] { return answered == 1; }, {&there});
  EXPECT_EQ(outcomes.back().error().code, ErrorCode::kUnavailable);
}

TEST_F(CommandLoopSpec, DoesNothingOfWhatWaitedTooLongBehindAnother) {
  log.faults = {kIsSilent};
  start(there, asked(register_farm()));
  for (int i = 0; i < 2; ++i) start(there, asked(deciding(Delete<Farm>{kFarm})));
  turn_until([this] { return log.silent.size() == 1; }, {&there});
  there.waited = std::chrono::seconds(10);
  turn_until([this] { return answered == 3; }, {&there});
  const std::string not_begun =
      "there: refused: Another change was not done in time; this one was not begun.\n";
  EXPECT_THAT(told, ::testing::EndsWith("is not known.\n" + not_begun + not_begun));
  EXPECT_EQ(outcomes.back().error().code, ErrorCode::kUnavailable);
  EXPECT_GT(outcomes.back().error().retry_after_seconds, 0);
  EXPECT_EQ(there.rows("user_1").version(), 0U);
}

TEST_F(CommandLoopSpec, RefusesAtOnceWhatIsTooMuch) {
  Node brief{log, '2', {.waiting = 3}};
  for (int i = 0; i < 5; ++i) start(brief, asked(register_farm("Farm " + std::to_string(i))));
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(outcomes.back().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(outcomes.back().error().message, "Too many changes wait; this one was not begun.");
  turn_until([this] { return answered == 5; }, {&brief});
  EXPECT_EQ(brief.loop().waiting(), 0U);
}

TEST_F(CommandLoopSpec, AnswersAllThatWaitsWhenItGivesUp) {
  log.faults = {kIsSilent};
  start(here, asked(register_farm()));
  start(here, asked(register_farm("Oasis")));
  turn_until([this] { return log.silent.size() == 1; }, {&here});
  start(here, asked(register_farm(), "user_2"));
  bool reached = true;
  here.loop().when_reached("user_1", {0, 99}, std::chrono::hours(1),
                           [&](bool is) { reached = is; });
  here.loop().shutdown();
  EXPECT_EQ(answered, 3);
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(reached);
}

TEST_F(CommandLoopSpec, TellsWhenAPositionIsReachedOrIsNot) {
  std::string reached;
  const Position position{log.partition_of("user_1"), 0};
  there.loop().when_reached("user_1", position, std::chrono::hours(1),
                            [&](bool is) { reached += is ? "yes " : "no "; });
  there.loop().when_reached("user_1", {position.partition, 7}, std::chrono::milliseconds(1),
                            [&](bool is) { reached += is ? "yes " : "never "; });
  turn_until([&] { return reached == "never "; }, {&there});
  start(here, asked(register_farm()));
  turn_until([&] { return reached == "never yes "; }, {&here, &there});
}

TEST_F(CommandLoopSpec, LetsNoOneWaitForeverForAPositionBehindWhatItCannotRead) {
  auto poison = record("user_1", 0, FarmRegistered{}, "poison");
  poison.envelope.type = "tilth.farm.enchanted";
  append(log, std::move(poison));
  bool told_no = false;
  there.loop().when_reached("user_1", {log.partition_of("user_1"), 0}, std::chrono::milliseconds(1),
                            [&](bool is) { told_no = !is; });
  for (int turns = 0; turns < 100'000 && !told_no; ++turns) {
    static_cast<void>(there.loop().turn(std::chrono::milliseconds(0)));
  }
  EXPECT_TRUE(told_no);
  EXPECT_TRUE(there.loop().projector().faulted());
}

TEST_F(CommandLoopSpec, TellsOfAnAcceptedRecordBeforeItsCommandIsAnswered) {
  std::string order;
  MemoryProjectionStore store;
  CommandLoop loop(log, store, registry(),
                   {.node = "2",
                    .now = [] { return kNow; },
                    .new_id = [] { return id<Uuid>('2'); },
                    .on_accepted =
                        [&](const Event& event, const LoggedRecord&, const RowBytes* row) {
                          order +=
                              encode(event).type + " of a " + (row ? row->table : "nothing") + ", ";
                        }});
  ASSERT_TRUE(loop.open());
  loop.carry_out(asked(register_farm()), [&](const auto&) { order += "answered"; });
  while (!order.ends_with("answered")) ASSERT_TRUE(loop.turn(std::chrono::milliseconds(10)));
  EXPECT_EQ(order, "tilth.farm.registered of a farm, answered");
}

TEST_F(CommandLoopSpec, DecidesOnNothingThatIsHalfSwept) {
  std::uint64_t version = 0;
  const auto happened = [&](const Event& event) {
    append(log, record("user_1", version++, event));
  };
  for (const Event& event : {Event(farm_registered()), Event(field_registered()),
                             Event(crop_registered()), Event(block_registered())}) {
    happened(event);
  }
  for (int i = 0; i < 1'500; ++i) {
    PlantPath at = kPlant;
    at.plant_id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
    at.plant_id.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    happened(plant_registered(at, {.label = "P"}));
  }
  start(here, asked(deciding(Delete<Farm>{kFarm})));
  start(here, asked(register_farm()));
  run_until_done();
  EXPECT_EQ(told,
            "here: tilth.farm.removed\n"
            "here: tilth.farm.registered Al Noor\n");
  EXPECT_EQ(here.rows("user_1").count<Farm>({}), 1U);
  EXPECT_EQ(here.rows("user_1").count<Plant>(kBlock.block_id.uuid), 0U);
}

TEST_F(CommandLoopSpec, RefusesOnReferenceDataOfThePresentWhereverTheyLie) {
  ASSERT_NE(log.partition_of("user_2"), log.partition_of(kReferenceStream));
  AdminCropDescribed described{id<AdminCropId>('7'), {.name = "Fig"}, {}, kThen};
  constexpr std::uint64_t kMoreThanAPage = 600;
  for (std::uint64_t version = 0; version < kMoreThanAPage; ++version) {
    described.details.is_active = version + 1 == kMoreThanAPage;
    append(log, record(std::string(kReferenceStream), version, described));
  }
  const CreateUserCrop command{{}, described.admin_crop_id, {}, {}, {}};
  start(here, asked(deciding(command), "user_2"));
  run_until_done(here);
  EXPECT_EQ(told, "here user_2: tilth.user_crop.added\n");
}

TEST_F(CommandLoopSpec, ShowsTheRowThatADecisionNamesWhereNothingChanges) {
  append(log, record(std::string(kReferenceStream), 0,
                     AdminCropDescribed{id<AdminCropId>('7'), {.name = "Fig"}, {}, kThen}));
  const CreateUserCrop command{{}, id<AdminCropId>('7'), {}, {}, {}};
  const auto first = carried_out(here, asked(deciding(command)));
  const auto again = carried_out(here, asked(deciding(command)));
  EXPECT_FALSE(again->event);
  ASSERT_TRUE(first->row && again->row);
  EXPECT_EQ(again->row->bytes, first->row->bytes);
  EXPECT_EQ(here.rows("user_1").version(), 1U);
}

// A decision that records itself in `order`.
Decide noted(std::string& order, std::string what, const std::string& name = "Al Noor") {
  return [&order, what = std::move(what), decide = register_farm(name)](const auto& rows,
                                                                        const auto& context) {
    order += what;
    return decide(rows, context);
  };
}

TEST_F(CommandLoopSpec, DecidesOnItsOwnThreadAlone) {
  std::string order;
  start(here, asked(noted(order, "decided")));
  EXPECT_EQ(order, "") << "the caller's thread decides nothing";
  run_until_done();
  EXPECT_EQ(order, "decided");
}

TEST_F(CommandLoopSpec, DecidesNothingWhileItTellsOfAnother) {
  std::string order;
  here.loop().carry_out(asked(noted(order, "first, ")), [&](const auto&) {
    here.loop().carry_out(asked(noted(order, "second", "Oasis")), [](const auto&) {});
    order += "told of it, ";
  });
  turn_until([&] { return order.ends_with("second"); }, {&here});
  EXPECT_EQ(order, "first, told of it, second");
}

TEST_F(CommandLoopSpec, DecidesNothingBeforeWhatCameEarlier) {
  std::string order;
  here.loop().run([&] { order += "earlier, "; });
  start(here, asked(noted(order, "later")));
  EXPECT_EQ(order, "");
  run_until_done();
  EXPECT_EQ(order, "earlier, later");
}

TEST_F(CommandLoopSpec, LeavesItToItsThreadToMeetABug) {
  const auto bug = [](const auto&, const auto&) -> Decision { throw std::logic_error("a bug"); };
  EXPECT_NO_THROW(start(here, asked(bug)));
  EXPECT_THROW(static_cast<void>(here.loop().turn(std::chrono::milliseconds(0))), std::logic_error);
  here.loop().shutdown();
}

TEST_F(CommandLoopSpec, LetsRecordsComeTogetherWhileNoOneWaits) {
  constexpr std::chrono::hours kLong(1);
  auto patient = access();
  patient.linger = kLong;
  MemoryProjectionStore store;
  CommandLoop loop(log, store, patient,
                   {.node = "2", .now = [] { return kNow; }, .new_id = [] { return Uuid(); }});
  ASSERT_TRUE(loop.open());
  const auto partition = log.partition_of(kAccessStream);
  const auto happened = [&](std::uint64_t version) {
    append(log, record(std::string(kAccessStream), version,
                       UserAmended{"user_AAAAAAAAAAAAAAAAAAAAA", {"seed"}, {}, {}, kThen}));
  };
  happened(0);
  ASSERT_TRUE(*loop.turn(kLong)) << "it has not read to the end yet";
  happened(1), happened(2);
  std::jthread asks([&] { loop.when_reached({}, {partition, 2}, kLong, [](bool) {}); });
  ASSERT_TRUE(*loop.turn(kLong)) << "it lingers until a caller waits";
  EXPECT_EQ(loop.projector().next(partition), 3);
  std::string order;
  loop.carry_out(asked(noted(order, "decided"), std::string(kAccessStream)), [](const auto&) {});
  EXPECT_EQ(order, "") << "a loop that lingers decides only on its own thread";
}

}  // namespace
}  // namespace tilth::testing
