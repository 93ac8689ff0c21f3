#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/cluster/cell_moves.h"
#include "tests/fixtures/noon_clock.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

// Rows that take each step at once, but for what the test says. Takes down what it was asked.
class FakeKeeper final : public LandKeeper {
 public:
  static constexpr auto kWhyNot = "The log cannot be read.";

  std::optional<Result<std::vector<Position>>> read_ends(std::size_t cell) override {
    const auto outcome = step("ends " + std::to_string(cell));
    if (!outcome) return std::nullopt;
    if (!*outcome) return outcome->error();
    return std::vector<Position>{{static_cast<int>(cell), end++}};
  }
  std::optional<Status> fill(std::size_t cell, const std::vector<Position>& ends) override {
    return step("fill " + to(cell, ends));
  }
  std::optional<Status> reach(std::size_t cell, const std::vector<Position>& ends) override {
    return step("reach " + to(cell, ends));
  }
  std::optional<Status> hold(std::size_t cell, const std::vector<Position>& ends) override {
    return step("hold " + to(cell, ends));
  }
  Status give_up(std::size_t cell) override { return once("give up " + std::to_string(cell)); }
  Status drop_rows(std::size_t cell) override { return once("drop " + std::to_string(cell)); }
  void announce() override { asked.push_back("announce"); }

  // Steps of that name, such as "fill 0", do not end before that is undone, or fail.
  std::set<std::string> slow, failing;
  std::vector<std::string> asked;
  std::int64_t end = 10;  // that is read next

 private:
  static Status refused() { return Error{ErrorCode::kUnavailable, kWhyNot}; }
  static std::string to(std::size_t cell, const std::vector<Position>& ends) {
    return std::to_string(cell) + " to " + std::to_string(ends.at(0).offset);
  }
  std::optional<Status> step(const std::string& what) {
    if (asked.empty() || asked.back() != what) asked.push_back(what);
    const auto is_among = [&](const auto& names) {
      return std::ranges::any_of(names, [&](const auto& name) { return what.starts_with(name); });
    };
    if (is_among(slow)) return std::nullopt;
    if (is_among(failing)) return refused();
    return kDone;
  }
  // For what is asked in each turn.
  Status once(const std::string& what) {
    if (std::ranges::find(asked, what) == asked.end()) asked.push_back(what);
    return failing.contains(what) ? refused() : kDone;
  }
};

// A node "a" and two cells. Given what it has heard of "b", when turns pass, then it asks that.
class CellMovesSpec : public ::testing::Test {
 protected:
  using Asked = std::vector<std::string>;

  static constexpr std::size_t kCells = 2;
  // The cells that "b" announces, and whether "a" gives all away.
  struct Heard {
    std::set<int> other_holds;
    bool drains;
  };
  static inline const Heard kAlone{{}, false}, kGivesAway{{0, 1}, true};

  ~CellMovesSpec() override { std::fclose(log_); }

  static CellMap map_of(const Heard& heard) {
    std::vector<NodeStanding> nodes = {{.node = "a", .self = true, .peer_address = "a:1"}};
    nodes.front().draining = heard.drains;
    if (heard.drains || !heard.other_holds.empty()) {
      NodeStanding other{.node = "b", .ready = true, .peer_address = "b:1"};
      for (const int cell : heard.other_holds) other.next.push_back({cell, 0});
      nodes.push_back(std::move(other));
    }
    return {nodes, kCells, kCells, 1};
  }

  void when_passed(std::chrono::milliseconds time, const Heard& heard = kAlone) {
    now_ += time;
    moves_.turn(now_, true, map_of(heard));
  }
  Result<bool> when_begun() { return moves_.begin(now_, hears_, map_of(kAlone)); }
  void given_begun() {
    moves_.knows_the_others(now_, true);
    now_ += CellPhases::kUntilAllAreKnown;
    while (true) {
      const auto begun = when_begun();
      ASSERT_TRUE(begun) << begun.error().message;
      if (*begun) break;
    }
    keeper_.asked.clear();
  }
  // It has begun, and then given these away.
  void given_away(const std::set<int>& cells) {
    given_begun();
    for (const auto time :
         {0ms, CellPhases::kSettled, CellPhases::kAfterwards, CellPhases::kToEnd}) {
      when_passed(time, {cells, true});
    }
    for (const int cell : cells) {
      ASSERT_TRUE(moves_.phases().is_away(static_cast<std::size_t>(cell)));
    }
    keeper_.asked.clear();
    keeper_.end = 10;
  }
  Asked then_asked() { return std::exchange(keeper_.asked, {}); }
  std::size_t then_warned() {
    std::rewind(log_);
    std::size_t lines = 0;
    for (int c = 0; (c = std::fgetc(log_)) != EOF;) lines += c == '\n';
    return lines;
  }
  bool is_announced(std::size_t cell) const { return moves_.phases().is_announced(cell); }

  testing::NoonClock clock_;
  std::FILE* log_ = std::tmpfile();
  LogLines lines_{clock_, fileno(log_), LogLines::Form::kText, LogLevel::kWarn};
  FakeKeeper keeper_;
  bool hears_ = true;
  CellPhases::Steady::time_point now_{1h};
  CellMoves moves_{kCells, [](std::size_t) { return true; }, keeper_, lines_};
};

TEST_F(CellMovesSpec, BeginsOnceItKnowsTheOthers) {
  EXPECT_FALSE(*when_begun());
  hears_ = false;
  now_ += CellPhases::kUntilAllAreKnown;
  EXPECT_FALSE(*when_begun());
  hears_ = true;
  EXPECT_FALSE(*when_begun());
  EXPECT_EQ(then_asked(), Asked());
  now_ += CellPhases::kUntilAllAreKnown;
  EXPECT_FALSE(*when_begun());
  EXPECT_EQ(then_asked().front(), "ends 2");
  EXPECT_TRUE(*when_begun());
}

// Each waits for the log.
TEST_F(CellMovesSpec, BeginsWithAllItsCellsTogether) {
  keeper_.slow = {"reach"};
  moves_.knows_the_others(now_, true);
  now_ += CellPhases::kUntilAllAreKnown;
  EXPECT_FALSE(*when_begun());
  EXPECT_EQ(then_asked(), (Asked{"ends 2", "fill 2 to 10", "reach 2 to 10",  //
                                 "ends 0", "fill 0 to 11", "reach 0 to 11",  //
                                 "ends 1", "fill 1 to 12", "reach 1 to 12"}));
  now_ += 1h;
  EXPECT_FALSE(*when_begun()) << "however long it takes";
  EXPECT_EQ(moves_.moving(), kCells + 1);
  keeper_.slow.clear();
  then_asked();
  EXPECT_FALSE(*when_begun());
  EXPECT_EQ(std::ranges::count(then_asked(), "announce"), 0);
  EXPECT_TRUE(*when_begun());
  EXPECT_EQ(then_asked(), Asked{"announce"});
  EXPECT_EQ(moves_.taken(), kCells);
  EXPECT_EQ(moves_.moving(), 0);
}

TEST_F(CellMovesSpec, SaysWhyItCannotBegin) {
  moves_.knows_the_others(now_, true);
  now_ += CellPhases::kUntilAllAreKnown;
  keeper_.failing = {"ends 1"};
  const auto begun = when_begun();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message, FakeKeeper::kWhyNot);
  keeper_.failing.clear();
  EXPECT_FALSE(*when_begun());
  EXPECT_TRUE(*when_begun());
}

TEST_F(CellMovesSpec, WaitsForWhatWasWrittenWhileItFilledACell) {
  given_away({0});
  when_passed(0ms);
  EXPECT_EQ(then_asked(), (Asked{"ends 0", "fill 0 to 10", "reach 0 to 10",  //
                                 "ends 0", "reach 0 to 11", "hold 0 to 11", "announce"}));
  EXPECT_TRUE(is_announced(0));
}

TEST_F(CellMovesSpec, AnnouncesACellAfterTheLastStep) {
  given_away({0});
  for (const std::string step : {"ends 0", "fill 0", "reach 0 to 10", "reach 0 to 11", "hold 0"}) {
    keeper_.slow = {step};
    when_passed(1s);
    when_passed(1s);
    EXPECT_TRUE(then_asked().back().starts_with(step));
    EXPECT_TRUE(moves_.phases().is_away(0)) << step;
    EXPECT_EQ(moves_.moving(), 1);
  }
  keeper_.slow.clear();
  when_passed(0ms);
  EXPECT_TRUE(is_announced(0));
  EXPECT_EQ(moves_.moving(), 0);
}

// Each may be folded in bulk.
TEST_F(CellMovesSpec, TakesOneCellAfterAnother) {
  given_away({0, 1});
  keeper_.slow = {"hold 0"};
  when_passed(0ms);
  when_passed(1s);
  EXPECT_EQ(then_asked().back(), "hold 0 to 11");
  keeper_.slow.clear();
  when_passed(0ms);
  EXPECT_EQ(then_asked(), (Asked{"hold 0 to 11", "announce"}));
  when_passed(0ms);
  EXPECT_TRUE(is_announced(1));
}

TEST_F(CellMovesSpec, OtherCellsMoveOnWhileOneIsTaken) {
  given_away({0});
  keeper_.slow = {"fill 0"};
  when_passed(0ms);
  then_asked();
  when_passed(0ms, kGivesAway);
  when_passed(CellPhases::kSettled, kGivesAway);
  EXPECT_EQ(then_asked(), (Asked{"fill 0 to 10", "announce", "fill 0 to 10"}));
  when_passed(CellPhases::kAfterwards, kGivesAway);
  EXPECT_EQ(then_asked(), Asked{"fill 0 to 10"}) << "what was begun goes on";
  when_passed(CellPhases::kToEnd, kGivesAway);
  when_passed(0ms, kGivesAway);
  EXPECT_EQ(then_asked(), (Asked{"give up 1", "fill 0 to 10", "drop 1", "fill 0 to 10"}));
  EXPECT_EQ(moves_.given_up(), 2);
}

// Its rows belong to the step that is under way.
TEST_F(CellMovesSpec, GivesUpWhatItTakesOnceThatHasEnded) {
  given_away({0});
  keeper_.slow = {"fill 0"};
  when_passed(0ms);
  when_passed(1h, kGivesAway);
  EXPECT_EQ(std::ranges::count(then_asked(), "give up 0"), 0);
  keeper_.slow.clear();
  when_passed(0ms, kGivesAway);
  EXPECT_TRUE(is_announced(0));
  when_passed(0ms, kGivesAway);
  when_passed(CellPhases::kSettled, kGivesAway);
  EXPECT_FALSE(is_announced(0));
}

TEST_F(CellMovesSpec, ACellThatCannotBeTakenKeepsNoOtherAway) {
  given_away({0, 1});
  keeper_.failing = {"ends 0"};
  when_passed(0ms);
  EXPECT_EQ(then_asked(), Asked{"ends 0"});
  when_passed(0ms);
  EXPECT_TRUE(is_announced(1));
  for (int i = 0; i < 10; ++i) when_passed(1s);
  EXPECT_EQ(then_warned(), 1) << "of a trouble that lasts";
  EXPECT_FALSE(is_announced(0));
  keeper_.failing.clear();
  when_passed(0ms);
  EXPECT_TRUE(is_announced(0));
}

TEST_F(CellMovesSpec, ACellThatDoesNotCatchUpKeepsNoOtherAway) {
  given_away({0, 1});
  keeper_.slow = {"reach 0"};
  when_passed(0ms);
  when_passed(CellMoves::kCatchesUp - 1ms);
  EXPECT_EQ(then_warned(), 0);
  EXPECT_FALSE(is_announced(1));
  when_passed(1ms);
  EXPECT_EQ(then_warned(), 1);
  when_passed(0ms);
  EXPECT_TRUE(is_announced(1));
  keeper_.slow.clear();
  when_passed(0ms);
  EXPECT_TRUE(is_announced(0));
}

TEST_F(CellMovesSpec, KeepsRowsWhileItDrains) {
  given_away({0});
  EXPECT_TRUE(moves_.drain());
  EXPECT_FALSE(moves_.drain());
  when_passed(0ms, kGivesAway);
  EXPECT_EQ(then_asked(), Asked{"give up 0"});
}

TEST_F(CellMovesSpec, WarnsOnceOfRowsThatCannotBeRemoved) {
  given_away({0});
  keeper_.failing = {"drop 0"};
  for (int i = 0; i < 3; ++i) when_passed(1s, kGivesAway);
  EXPECT_EQ(then_warned(), 1);
}

// What it knows of the others may be old.
TEST_F(CellMovesSpec, TakesAndGivesUpNothingWhileItDoesNotHearItself) {
  given_away({0});
  keeper_.asked.clear();
  for (int i = 0; i < 3; ++i) moves_.turn(now_ += 1h, false, map_of(kAlone));
  EXPECT_EQ(then_asked(), Asked());
}

}  // namespace
}  // namespace tilth
