// What happens to a request that is retried with its Idempotency-Key (docs/api.md,
// "Asking again safely").

#include <algorithm>

#include "tests/fixtures/command_fixture.h"

namespace tilth::testing {
namespace {

const FarmPath kFirst{parsed<FarmId>("00000000-0000-4000-8000-000000000001")};

class IdempotencySpec : public CommandFixture {
 protected:
  CommandRequest amendment(const FarmDetails<Patch>& changes, std::string key) {
    auto request = keyed(deciding(Update<Farm>{kFirst, changes}), std::move(key));
    request.shown_table = Farm::kTable;
    request.shown_id = kFirst.farm_id.uuid;
    return request;
  }
  std::uint64_t version() { return here.rows("user_1").version(); }
  std::string again(Node& node, CommandRequest request) {
    return described(carried_out(node, std::move(request)));
  }
  std::ptrdiff_t remembered() {
    const auto& kept = here.store().kept();
    return std::count_if(kept.begin(), kept.end(), [](const auto& entry) {
      return entry.first.starts_with(std::string("user_1\0i", 8));
    });
  }
};

TEST_F(IdempotencySpec, AnswersTheRowAsItWasThen) {
  const auto first = carried_out(here, keyed(register_farm(), "k"));
  carry_out(here, asked(deciding(Update<Farm>{kFirst, {.name = {"Oasis"}}})));
  const auto replay = carried_out(here, keyed(register_farm(), "k"));
  EXPECT_EQ(described(replay), "again nothing Al Noor");
  EXPECT_EQ(replay->row->bytes, first->row->bytes);
  EXPECT_EQ(replay->position, first->position);
  EXPECT_EQ(version(), 2U);
}

TEST_F(IdempotencySpec, AnswersARemovalAgainThoughNothingIsThere) {
  carry_out(here, asked(register_farm()));
  const auto remove = keyed(deciding(Delete<Farm>{kFirst}), "k");
  EXPECT_EQ(again(here, remove), "tilth.farm.removed");
  EXPECT_EQ(again(here, remove), "again nothing");
  EXPECT_EQ(version(), 2U);
}

TEST_F(IdempotencySpec, AnswersARefusalAgainThoughItWouldNoLongerBeRefused) {
  const auto amend = amendment({.name = {"Oasis"}}, "k");
  EXPECT_EQ(again(here, amend), "refused: There is no such farm.");
  EXPECT_EQ(version(), 1U) << "the refusal is kept";
  carry_out(here, asked([](const Rows&, const Context&) -> Decision {
              return FarmRegistered{
                  {kFirst.farm_id, {}, {.name = "Al Noor", .total_area = Decimal(1)}, kNow}};
            }));
  const auto replay = carried_out(here, amend);
  EXPECT_EQ(described(replay), "again NOT_FOUND");
  EXPECT_EQ(replay->refusal->message, "There is no such farm.");
  EXPECT_EQ(replay->refusal->details.json, "{}");
  EXPECT_EQ(replay->refusal->refused_at, kNow);
}

TEST_F(IdempotencySpec, KeepsWhatARefusalSaysInDetail) {
  const Error invalid{ErrorCode::kInvalid,
                      "Not valid.",
                      {{"name", {"is required", "and \"more\""}}},
                      {{"limit", 3}, {"requiredScope", "x"}}};
  const auto refuse =
      keyed([invalid](const Rows&, const Context&) -> Decision { return invalid; }, "k");
  EXPECT_EQ(carried_out(here, refuse).error().issues, invalid.issues);
  const auto replay = carried_out(here, refuse);
  EXPECT_EQ(replay->refusal->code, "VALIDATION_ERROR");
  EXPECT_EQ(replay->refusal->details.json,
            R"({"name":["is required","and \"more\""],"limit":3,"requiredScope":"x"})");
}

TEST_F(IdempotencySpec, KeepsNoRefusalThatWillBeDifferentInAMoment) {
  bool well = false;
  const auto flaky = keyed(
      [&well](const Rows& rows, const Context& context) -> Decision {
        if (!well) return Error{ErrorCode::kUnavailable, "Not now."};
        return register_farm()(rows, context);
      },
      "k");
  EXPECT_EQ(again(here, flaky), "refused: Not now.");
  EXPECT_EQ(version(), 0U);
  well = true;
  EXPECT_EQ(again(here, flaky), "tilth.farm.registered Al Noor");
}

TEST_F(IdempotencySpec, RefusesTheKeyOfAnotherRequest) {
  carry_out(here, keyed(register_farm(), "k", "one"));
  const auto other = carried_out(here, keyed(register_farm("Oasis"), "k", "two"));
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_EQ(other.error().retry_after_seconds, 0);
  EXPECT_EQ(version(), 1U);
  EXPECT_EQ(again(here, keyed(register_farm(), "k", "one")), "again nothing Al Noor");
}

TEST_F(IdempotencySpec, RefusesARepeatWhileTheFirstStillRuns) {
  log.faults = {FlakyLog::Fault::kIsSilent};
  start(here, keyed(register_farm(), "k"));
  start(here, keyed(register_farm(), "k"));
  turn_until([this] { return answered == 1; }, {&here});
  EXPECT_EQ(outcomes.front().error().code, ErrorCode::kConflict);
  EXPECT_GT(outcomes.front().error().retry_after_seconds, 0);
  log.append(log.silent.front(), [](const auto&) {});
  run_until_done();
  EXPECT_EQ(described(outcomes.back()), "tilth.farm.registered Al Noor");
  EXPECT_EQ(again(here, keyed(register_farm(), "k")), "again nothing Al Noor");
}

TEST_F(IdempotencySpec, HappensOnceThoughBothNodesAreAskedAtOnce) {
  start(here, keyed(register_farm(), "k"));
  start(there, keyed(register_farm(), "k"));
  run_until_done();
  const auto replays = std::count_if(outcomes.begin(), outcomes.end(),
                                     [](const auto& outcome) { return outcome->replayed; });
  EXPECT_EQ(replays, 1) << told;
  EXPECT_EQ(version(), 1U);
}

TEST_F(IdempotencySpec, RefusesOnceThoughBothNodesAreAskedAtOnce) {
  start(here, keyed(deciding(Delete<Farm>{kFirst}), "k"));
  start(there, keyed(deciding(Delete<Farm>{kFirst}), "k"));
  run_until_done();
  const auto refused =
      std::count_if(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return !outcome; });
  EXPECT_EQ(refused, 1) << told;
  EXPECT_NE(told.find("again NOT_FOUND"), std::string::npos) << told;
  EXPECT_EQ(version(), 1U);
}

TEST_F(IdempotencySpec, HoldsOnOtherNodesAndAfterARestart) {
  carry_out(here, keyed(register_farm(), "k"));
  EXPECT_EQ(again(there, keyed(register_farm(), "k")), "again nothing Al Noor");
  here.restart();
  EXPECT_EQ(again(here, keyed(register_farm(), "k")), "again nothing Al Noor");
}

TEST_F(IdempotencySpec, KeepsUsersApart) {
  carry_out(here, keyed(register_farm(), "k"));
  auto theirs = keyed(register_farm(), "k", "another hash");
  theirs.stream = "user_2";
  EXPECT_EQ(again(here, theirs), "tilth.farm.registered Al Noor");
}

TEST_F(IdempotencySpec, ForgetsAfter24Hours) {
  carry_out(here, keyed(register_farm(), "k"));
  here.now = {kNow.at + std::chrono::hours(24) - std::chrono::milliseconds(1)};
  EXPECT_EQ(again(here, keyed(register_farm(), "k")), "again nothing Al Noor");
  here.now = {kNow.at + std::chrono::hours(24)};
  EXPECT_EQ(again(here, keyed(register_farm("Oasis"), "k", "another")),
            "tilth.farm.registered Oasis");
  here.now = {here.now.at + std::chrono::hours(23)};
  EXPECT_EQ(again(here, keyed(register_farm("Oasis"), "k", "another")), "again nothing Oasis");
}

TEST_F(IdempotencySpec, KeepsNoMoreThanADaysRequestsForLong) {
  for (int i = 0; i < 40; ++i) {
    carry_out(here, keyed(register_farm(std::to_string(i)), "a" + std::to_string(i)));
  }
  EXPECT_EQ(remembered(), 40);
  here.now = {kNow.at + std::chrono::hours(25)};
  for (int i = 0; i < 6; ++i) {
    carry_out(here, keyed(register_farm("later " + std::to_string(i)), "b" + std::to_string(i)));
  }
  EXPECT_EQ(remembered(), 6);
  EXPECT_EQ(again(here, keyed(register_farm("later 0"), "b0")), "again nothing later 0");
}

TEST_F(IdempotencySpec, KeepsThatNothingChanged) {
  carry_out(here, asked(register_farm()));
  const auto first = carried_out(here, amendment({}, "k"));
  EXPECT_EQ(described(first), "nothing Al Noor");
  EXPECT_EQ(version(), 2U);
  carry_out(here, asked(deciding(Update<Farm>{kFirst, {.name = {"Oasis"}}})));
  const auto replay = carried_out(here, amendment({}, "k"));
  EXPECT_EQ(described(replay), "again nothing Al Noor");
  EXPECT_EQ(replay->position, first->position);
  EXPECT_EQ(version(), 3U);
}

}  // namespace
}  // namespace tilth::testing
