// Commands of one owner that are decided before those ahead of them are durable, on a log that no
// other process writes.

#include <map>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "command/land/farm.h"
#include "command/work/task.h"
#include "tests/fixtures/command_fixture.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using enum FlakyLog::Fault;

class DecidedAhead : public ::testing::Test {
 protected:
  static CommandRequest asked(Decide decide) {
    return {.stream = "user_1", .actor = "key_1", .request_id = "r", .decide = std::move(decide)};
  }

  void start(CommandRequest request) {
    ++started;
    writer.loop().carry_out(std::move(request), [this](const Result<CommandResult>& end) {
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

  FlakyLog log{FlakyLog::Refused::kDropped};
  Node writer{log, '0'};
  int started = 0, answered = 0;
  std::string told;
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

TEST_F(DecidedAhead, HappenOnceWhateverTheLogLoses) {
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

}  // namespace
}  // namespace tilth::testing
