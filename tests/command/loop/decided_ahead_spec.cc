// Commands of one owner that are decided before those ahead of them are durable: on a log that no
// other process writes, and on one that other nodes write, too.

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "command/access/erasure.h"
#include "command/land/farm.h"
#include "command/work/task.h"
#include "command/work/task_template.h"
#include "tests/fixtures/command_fixture.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using enum FlakyLog::Fault;

class AnyDecidedAhead : public ::testing::Test {
 protected:
  explicit AnyDecidedAhead(FlakyLog::Refused refused) : log{refused} {}

  static CommandRequest asked(Decide decide) {
    return {.stream = "user_1", .actor = "key_1", .request_id = "r", .decide = std::move(decide)};
  }

  void start(CommandRequest request) { start(std::move(request), writer); }
  void start(CommandRequest request, Node& node) {
    ++started;
    node.loop().carry_out(std::move(request), [this](const Result<CommandResult>& end) {
      ++answered;
      told += described(end) + "\n";
    });
  }
  void start_farms(int count) {
    for (int i = 0; i < count; ++i) start(asked(register_farm("Farm " + std::to_string(i))));
  }
  void run_until_done() {
    turn_until([this] { return answered == started; }, {&writer});
  }

  // All keys of a node's rows.
  static std::map<std::string, std::string> stored(Node& node) {
    std::map<std::string, std::string> all;
    const auto cursor = node.store().newest().cursor();
    for (cursor->seek(""); cursor->valid(); cursor->next()) {
      all.emplace(cursor->key(), cursor->value());
    }
    return all;
  }
  // What a node stores that only reads, and folds nothing ahead.
  std::map<std::string, std::string> folded_by_another() {
    Node reader{log, '1'};
    turn_until([&] { return reader.rows("user_1").version() == version(); }, {&reader});
    return stored(reader);
  }
  std::uint64_t version() { return writer.rows("user_1").version(); }

  static std::string described(const Result<CommandResult>& end) {
    if (!end) return "refused: " + end.error().message;
    if (end->row && end->row->table == Farm::kTable) {
      return (end->replayed ? "again " : "") + RowCodec<Farm>::decode(end->row->bytes).details.name;
    }
    return end->event ? encode(*end->event).type : "nothing";
  }

  // What the log took and did not tell of arrives.
  void arrive() {
    for (const auto& record : std::exchange(log.silent, {})) {
      log.append(record, [](const auto&) {});
    }
  }
  void be_silent(std::size_t records) { log.faults.assign(records, kIsSilent); }
  void turn_until_silent(std::size_t records) {
    turn_until([&] { return log.silent.size() == records; }, {&writer});
  }

  FlakyLog log;
  Node writer{log, '0'};
  int started = 0, answered = 0;
  std::string told;
};

class DecidedAhead : public AnyDecidedAhead {
 protected:
  DecidedAhead() : AnyDecidedAhead(FlakyLog::Refused::kDropped) {}
};

class DecidedAheadOnASharedLog : public AnyDecidedAhead {
 protected:
  DecidedAheadOnASharedLog() : AnyDecidedAhead(FlakyLog::Refused::kKept) {}

  // The ids of all that the log holds, and how many different ones.
  std::vector<std::string> ids() {
    std::vector<std::string> all;
    const auto reader = log.read({{log.partition_of("user_1"), 0}});
    const auto page = (*reader)->next(10'000, std::chrono::milliseconds(0));
    for (const auto& logged : *page) all.push_back(logged.record->envelope.id);
    return all;
  }
  std::size_t different_ids() {
    const auto all = ids();
    return std::set<std::string>(all.begin(), all.end()).size();
  }
};

class DecidedAheadOnAnyLog : public AnyDecidedAhead,
                             public ::testing::WithParamInterface<FlakyLog::Refused> {
 protected:
  DecidedAheadOnAnyLog() : AnyDecidedAhead(GetParam()) {}
};

TEST_F(DecidedAhead, AreAppendedBeforeTheFirstIsStored) {
  log.faults = {kIsSilent, kIsSilent, kIsSilent};
  start_farms(3);
  turn_until([this] { return log.silent.size() == 3; }, {&writer});
  EXPECT_EQ(log.silent[0].envelope.stream_version, 0U);
  EXPECT_EQ(log.silent[1].envelope.stream_version, 1U);
  EXPECT_EQ(log.silent[2].envelope.stream_version, 2U);
  EXPECT_EQ(told, "") << "nothing is durable yet";
  for (const auto& record : log.silent) log.append(record, [](const auto&) {});
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\n");
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAhead, WaitForTheOneBeforeThemWhenItsRecordGetsLost) {
  for (const auto fault : {kLosesTheRecord, kLosesTheAnswer}) {
    log.faults = {fault};
    start(asked(register_farm("First " + std::to_string(static_cast<int>(fault)))));
    start(asked(register_farm("Second " + std::to_string(static_cast<int>(fault)))));
    run_until_done();
  }
  EXPECT_EQ(told, "First 2\nSecond 2\nFirst 1\nSecond 1\n");
  EXPECT_EQ(version(), 4U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

// As after a start that finds older rows than the log.
TEST_F(DecidedAhead, WaitUntilWhatTheLogHeldAtTheStartIsRead) {
  append(log, record("user_1", 0, farm_registered()));
  writer.restart();
  start(asked(register_farm("Oasis")));
  start(asked(register_farm()));
  run_until_done();
  EXPECT_EQ(told, "Oasis\nrefused: Another farm has this name.\n");
  EXPECT_EQ(version(), 2U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAhead, EndTogetherWhenTheFirstIsOvertaken) {
  log.faults = {kIsSilent, kIsSilent, kIsSilent};
  start_farms(3);
  turn_until([this] { return log.silent.size() == 3; }, {&writer});
  append(log, record("user_1", 0, farm_registered()));
  run_until_done();
  const std::string unknown =
      "refused: The log did not answer in time; whether this was done is not known.\n";
  EXPECT_EQ(told, unknown + unknown + "Farm 0\n");
  EXPECT_EQ(version(), 2U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_P(DecidedAheadOnAnyLog, HappenOnceWhateverTheLogLoses) {
  std::mt19937 random(7);  // NOLINT: the same faults in each run
  for (int i = 0; i < 40; ++i) {
    log.faults.push_back(std::array{kNone, kLosesTheRecord, kLosesTheAnswer}[random() % 3]);
  }
  start_farms(20);
  run_until_done();
  EXPECT_EQ(version(), 20U);
  EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("refused")));
  EXPECT_EQ(stored(writer), folded_by_another());
}

INSTANTIATE_TEST_SUITE_P(All, DecidedAheadOnAnyLog,
                         ::testing::Values(FlakyLog::Refused::kDropped, FlakyLog::Refused::kKept));

TEST_F(DecidedAhead, SeeWhatTheOnesBeforeThemChange) {
  start(asked(register_farm()));
  start(asked(register_farm()));
  start(asked(register_farm("Oasis")));
  run_until_done();
  EXPECT_EQ(told, "Al Noor\nrefused: Another farm has this name.\nOasis\n");
}

TEST_F(DecidedAhead, AreNotDecidedAheadOfARemoval) {
  const FarmPath first{parsed<FarmId>("00000000-0000-4000-8000-000000000001")};
  start(asked(register_farm()));
  start(asked(deciding(Delete<Farm>{first})));
  start(asked(register_farm()));
  run_until_done();
  EXPECT_EQ(told, "Al Noor\ntilth.farm.removed\nAl Noor\n");
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAhead, KeepWhatTheirIdempotencyKeysAnswer) {
  for (const std::string key : {"a", "b", "a", "b"}) {
    auto request = asked(register_farm("Farm " + key));
    request.idempotency = Idempotency{key, key};
    start(std::move(request));
    if (key == "b") run_until_done();
  }
  EXPECT_EQ(told, "Farm a\nFarm b\nagain Farm a\nagain Farm b\n");
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAhead, AreForgottenByAnErasureThatIsAppendedBeforeTheyAreRead) {
  auto request = asked(deciding(CreateTaskTemplate{{}, {.name = "Prune"}}));
  request.idempotency = Idempotency{"key", "hash"};
  start(std::move(request));
  start(asked(deciding(EraseRecords{})));
  run_until_done();
  EXPECT_EQ(told, "tilth.task_template.created\ntilth.records.erased\n");
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAhead, EndTogetherWhenTheFirstHasNoVerdictInTime) {
  Node brief{log, '2', {.timeout = std::chrono::hours(1)}};
  log.faults = {kIsSilent, kIsSilent};
  std::vector<Result<CommandResult>> ends;
  const auto note = [&](const Result<CommandResult>& end) { ends.push_back(end); };
  brief.loop().carry_out(asked(register_farm("One")), note);
  brief.loop().carry_out(asked(register_farm("Two")), note);
  turn_until([&] { return log.silent.size() == 2; }, {&brief});
  brief.waited = std::chrono::hours(1);
  turn_until([&] { return ends.size() == 2; }, {&brief});
  for (const auto& end : ends) {
    EXPECT_EQ(end.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(end.error().message, ::testing::EndsWith("is not known."));
  }
  // They arrive late, and what follows is decided on them.
  for (const auto& record : log.silent) log.append(record, [](const auto&) {});
  turn_until([&] { return brief.rows("user_1").version() == 2; }, {&brief});
  EXPECT_TRUE(brief.rows("user_1").find_unique<Farm>({}, "One"));
  EXPECT_TRUE(brief.rows("user_1").find_unique<Farm>({}, "Two"));
}

// Found by a seed of the simulation. A record of the first burst may still come, although one that
// was decided later ended without a verdict, too, and only at the first version.
TEST_F(DecidedAhead, WaitForAllRecordsThatMayStillCome) {
  Node brief{log, '2', {.timeout = std::chrono::hours(1)}};
  std::string ends;
  std::size_t asked_for = 0, ended = 0;
  const auto ask = [&](const std::string& name) {
    ++asked_for;
    brief.loop().carry_out(asked(register_farm(name)), [&](const Result<CommandResult>& end) {
      ++ended;
      ends += described(end) + "\n";
    });
  };
  const auto end_without_verdicts = [&] {
    turn_until([&] { return log.silent.size() == asked_for; }, {&brief});
    brief.waited += std::chrono::hours(1);
    turn_until([&] { return ended == asked_for; }, {&brief});
  };
  be_silent(4);
  ask("One"), ask("Two"), ask("Three");
  end_without_verdicts();
  ask("Four");
  end_without_verdicts();
  for (const auto at : {0, 1}) log.append(log.silent[at], [](const auto&) {});
  turn_until([&] { return brief.rows("user_1").version() == 2; }, {&brief});

  ends.clear();
  be_silent(2);
  ask("Five"), ask("Three");
  turn_until([&] { return log.silent.size() >= 5; }, {&brief});
  arrive();
  turn_until([&] { return ended == asked_for; }, {&brief});
  EXPECT_EQ(ends, "Five\nrefused: Another farm has this name.\n");
  EXPECT_EQ(brief.rows("user_1").version(), 4U);
}

// Registers, amends and removes farms in bursts, with faults; the rows are those of a node that
// only reads.
TEST_F(DecidedAhead, LeaveTheRowsThatAnyNodeFolds) {
  std::mt19937 random(11);  // NOLINT: the same walk in each run
  const auto any_farm = [&] {
    const auto digits = std::to_string(1 + random() % 60);
    return FarmPath{
        parsed<FarmId>("00000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits)};
  };
  for (int burst = 0; burst < 60; ++burst) {
    for (auto count = random() % 12; count > 0; --count) {
      if (random() % 10 == 0) log.faults.push_back(kLosesTheRecord);
      switch (random() % 4) {
        case 0:
          start(asked(deciding(Delete<Farm>{any_farm()})));
          break;
        case 1:
          start(asked(deciding(
              Update<Farm>{any_farm(), {.name = "Farm " + std::to_string(random() % 40)}})));
          break;
        default:
          start(asked(register_farm("Farm " + std::to_string(random() % 40))));
      }
    }
    run_until_done();
  }
  EXPECT_GT(version(), 40U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAheadOnASharedLog, NameTheRecordsThatTheyWereDecidedUpon) {
  be_silent(3);
  start_farms(3);
  turn_until_silent(3);
  const auto sent = log.silent;
  EXPECT_EQ(sent[2].envelope.stream_version, 2U);
  EXPECT_EQ(sent[0].envelope.predecessor, "");
  EXPECT_EQ(sent[1].envelope.predecessor, sent[0].envelope.id);
  EXPECT_EQ(sent[2].envelope.predecessor, sent[1].envelope.id);
  EXPECT_EQ(told, "") << "nothing is durable yet";
  arrive();
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\n");
  EXPECT_EQ(different_ids(), 3U);
  EXPECT_EQ(stored(writer), folded_by_another());
  be_silent(1);
  start(asked(register_farm()));
  turn_until_silent(1);
  EXPECT_EQ(log.silent[0].envelope.predecessor, "") << "what it was decided upon counts";
  arrive();
  run_until_done();
}

TEST_F(DecidedAheadOnASharedLog, AreDecidedAgainWhenTheFirstIsOvertaken) {
  be_silent(3);
  start_farms(3);
  turn_until_silent(3);
  append(log, record("user_1", 0, farm_registered()));
  arrive();
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\n");
  EXPECT_EQ(version(), 4U);
  EXPECT_EQ(different_ids(), 7U) << "what was decided on rows that never were does not count";
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAheadOnASharedLog, AreRefusedByTheRowsThatCameToBe) {
  be_silent(2);
  start(asked(register_farm("Oak")));
  start(asked(register_farm("Ash")));
  turn_until_silent(2);
  append(log, record("user_1", 0, farm_registered(kFarm, "Ash")));
  arrive();
  run_until_done();
  EXPECT_EQ(told, "Oak\nrefused: Another farm has this name.\n");
  EXPECT_EQ(version(), 2U);
}

TEST_F(DecidedAheadOnASharedLog, ComeAgainUnchangedWhenTheFirstIsLost) {
  log.faults = {kLosesTheRecord};
  start_farms(5);
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\nFarm 3\nFarm 4\n");
  EXPECT_EQ(different_ids(), 5U);
  EXPECT_GT(ids().size(), 5U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

TEST_F(DecidedAheadOnASharedLog, CountInTheirOrderInWhateverOrderTheyArrive) {
  be_silent(4);
  start_farms(4);
  turn_until_silent(4);
  std::reverse(log.silent.begin(), log.silent.end());
  arrive();
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\nFarm 3\n");
  EXPECT_EQ(different_ids(), 4U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

// What follows them is decided on the rows without them, and again when they arrive late.
TEST_F(DecidedAheadOnASharedLog, EndTogetherWhenTheFirstHasNoVerdictInTime) {
  be_silent(4);
  start(asked(register_farm("One")));
  start(asked(register_farm("Two")));
  turn_until_silent(2);
  writer.waited = std::chrono::seconds(6);
  run_until_done();
  const std::string unknown =
      "refused: The log did not answer in time; whether this was done is not known.\n";
  EXPECT_EQ(std::exchange(told, {}), unknown + unknown);
  start(asked(register_farm("Two")));
  start(asked(register_farm("Three")));
  turn_until_silent(4);
  EXPECT_EQ(log.silent[2].envelope.predecessor, "");
  EXPECT_EQ(log.silent[3].envelope.predecessor, log.silent[2].envelope.id);
  arrive();
  run_until_done();
  EXPECT_EQ(told, "refused: Another farm has this name.\nThree\n");
  EXPECT_EQ(version(), 3U);
  EXPECT_EQ(stored(writer), folded_by_another());
}

// While another node decides for the owner, each appends one record at a time, so that neither
// keeps the other from getting its own in.
TEST_F(DecidedAheadOnASharedLog, WaitForTheVerdictWhileAnotherNodeDecides) {
  be_silent(3);
  start_farms(3);
  turn_until_silent(3);
  append(log, record("user_1", 0, farm_registered()));
  arrive();
  be_silent(3);
  turn_until_silent(1);
  ASSERT_TRUE(writer.loop().turn(std::chrono::milliseconds(0)));
  EXPECT_EQ(log.silent.size(), 1U) << "the first after the other one's is alone";
  log.faults.clear();
  arrive();
  run_until_done();
  EXPECT_EQ(told, "Farm 0\nFarm 1\nFarm 2\n");
}

// Two nodes register, amend and remove farms of one owner in bursts, with faults.
TEST_F(DecidedAheadOnASharedLog, LeaveTheRowsThatAnyNodeFolds) {
  Node other{log, '2'};
  std::mt19937 random(11);  // NOLINT: the same walk in each run
  const auto any_farm = [&] {
    const auto digits = std::to_string(1 + random() % 60);
    return FarmPath{parsed<FarmId>(std::string(1, random() % 2 == 0 ? '0' : '2') +
                                   "0000000-0000-4000-8000-" +
                                   std::string(12 - digits.size(), '0') + digits)};
  };
  const auto any_command = [&]() -> Decide {
    if (random() % 4 == 0) return deciding(Delete<Farm>{any_farm()});
    const auto name = "Farm " + std::to_string(random() % 40);
    if (random() % 3 == 0) return deciding(Update<Farm>{any_farm(), {.name = name}});
    return register_farm(name);
  };
  for (int burst = 0; burst < 40; ++burst) {
    for (auto count = random() % 12; count > 0; --count) {
      if (random() % 10 == 0) log.faults.push_back(kLosesTheRecord);
      start(asked(any_command()), random() % 2 == 0 ? writer : other);
    }
    turn_until([this] { return answered == started; }, {&writer, &other});
  }
  EXPECT_GT(version(), 40U);
  const auto all = folded_by_another();
  EXPECT_EQ(stored(writer), all);
  turn_until([&] { return other.rows("user_1").version() == version(); }, {&other});
  EXPECT_EQ(stored(other), all);
}

}  // namespace
}  // namespace tilth::testing
