#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "infra/cluster/cell_phases.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Step = CellPhases::Step;

constexpr std::size_t kCell = 0;

// What this node has heard: whether "b" lives, has caught up with the cell, and gives it away; and
// whether this node gives away what it has.
struct Heard {
  bool other_lives = false, other_holds = false, other_drains = false, drains = false;
  bool other_halted = false;  // a projection of it is paused or faulted there
};

constexpr Heard kAlone = {}, kOtherHasNothing{.other_lives = true, .drains = true},
                kGivesAway{.other_lives = true, .other_holds = true, .drains = true},
                kBothGiveAway{
                    .other_lives = true, .other_holds = true, .other_drains = true, .drains = true};

// A node "a" and one cell. Given what it has heard of "b", when time passes, then it does that.
class CellPhasesSpec : public ::testing::Test {
 protected:
  static CellMap map_of(const Heard& heard) {
    std::vector<NodeStanding> nodes = {{.node = "a", .self = true, .peer_address = "a:1"}};
    nodes.front().draining = heard.drains;
    if (heard.other_lives) {
      NodeStanding other{.node = "b", .ready = true, .peer_address = "b:1"};
      other.draining = heard.other_drains;
      if (heard.other_holds) other.next.push_back({0, 0});
      if (heard.other_halted) other.halted.push_back(0);
      nodes.push_back(std::move(other));
    }
    return {nodes, 1, 1, 1};
  }

  Step when_passed(std::chrono::milliseconds time, const Heard& heard) {
    now_ += time;
    map_ = std::make_unique<CellMap>(map_of(heard));
    return phases_.move_on(kCell, now_, *map_);
  }
  // "answered announced first", or less of that.
  std::string then() const {
    std::string text;
    if (phases_.is_here(kCell, [this] { return map_.get(); })) text += "answered ";
    if (phases_.is_announced(kCell)) text += "announced ";
    if (phases_.is_first(kCell, *map_)) text += "first ";
    if (phases_.is_lost(kCell, *map_)) text += "lost ";
    if (phases_.is_away(kCell)) text += "away ";
    return text.substr(0, text.size() - std::min<std::size_t>(1, text.size()));
  }

  void given_held() {
    ASSERT_EQ(when_passed(0ms, kAlone), Step::kTake);
    phases_.take(kCell);
  }
  void given_leaving() {
    given_held();
    ASSERT_EQ(when_passed(0ms, kGivesAway), Step::kNone);
    ASSERT_EQ(when_passed(CellPhases::kSettled, kGivesAway), Step::kAnnounce);
  }
  void given_ending() {
    given_leaving();
    ASSERT_EQ(when_passed(CellPhases::kAfterwards, kGivesAway), Step::kNone);
  }

  CellPhases::Steady::time_point now_{1h};
  bool goes_on_ = true;
  CellPhases phases_{1, [this](std::size_t) { return goes_on_; }};
  std::unique_ptr<CellMap> map_ = std::make_unique<CellMap>(map_of(kAlone));
};

TEST_F(CellPhasesSpec, KnowsTheOthersOnceItHasHeardItselfForAWhile) {
  EXPECT_FALSE(phases_.knows_the_others(now_, true));
  EXPECT_FALSE(phases_.knows_the_others(now_ + CellPhases::kUntilAllAreKnown - 1ms, true));
  EXPECT_TRUE(phases_.knows_the_others(now_ + CellPhases::kUntilAllAreKnown, true));
}

TEST_F(CellPhasesSpec, WaitsAgainAfterItDidNotHearItself) {
  phases_.knows_the_others(now_, true);
  EXPECT_FALSE(phases_.knows_the_others(now_ + 2s, false));
  EXPECT_FALSE(phases_.knows_the_others(now_ + 3s, true));
  EXPECT_TRUE(phases_.knows_the_others(now_ + 3s + CellPhases::kUntilAllAreKnown, true));
}

TEST_F(CellPhasesSpec, AnswersForNothingBeforeItHasCaughtUp) {
  EXPECT_EQ(when_passed(0ms, kAlone), Step::kTake);
  EXPECT_EQ(then(), "lost away");
  EXPECT_EQ(when_passed(1h, kAlone), Step::kTake) << "taking it has failed";
  phases_.take(kCell);
  EXPECT_EQ(then(), "answered announced first");
  EXPECT_EQ(when_passed(1h, kAlone), Step::kNone);
}

TEST_F(CellPhasesSpec, TakesNothingThatOthersShouldHold) {
  EXPECT_EQ(when_passed(0ms, kGivesAway), Step::kRemove) << "of before this node started";
  EXPECT_EQ(then(), "away");
}

TEST_F(CellPhasesSpec, KeepsWhatNoOtherHolds) {
  given_held();
  EXPECT_EQ(when_passed(0ms, kOtherHasNothing), Step::kNone);
  EXPECT_EQ(when_passed(1h, kOtherHasNothing), Step::kNone);
  EXPECT_EQ(then(), "answered announced first");
}

TEST_F(CellPhasesSpec, KeepsWhatTheOthersGiveAwayThemselves) {
  given_held();
  EXPECT_EQ(when_passed(0ms, kBothGiveAway), Step::kNone);
  EXPECT_EQ(when_passed(1h, kBothGiveAway), Step::kNone);
  EXPECT_EQ(phases_.held(), 1);
}

TEST_F(CellPhasesSpec, AnnouncesACellUntilOthersHaveHeldItForAWhile) {
  given_held();
  EXPECT_EQ(when_passed(0ms, kGivesAway), Step::kNone);
  EXPECT_EQ(phases_.leaving(), 1);
  EXPECT_EQ(when_passed(CellPhases::kSettled - 1ms, kGivesAway), Step::kNone);
  EXPECT_EQ(then(), "answered announced");
  EXPECT_EQ(when_passed(1ms, kGivesAway), Step::kAnnounce);
  EXPECT_EQ(then(), "answered") << "for those that have not heard that it leaves";
  EXPECT_EQ(phases_.held(), 0);
}

TEST_F(CellPhasesSpec, BeginsToWaitAgainIfTheOthersWereGoneMeanwhile) {
  given_held();
  when_passed(0ms, kGivesAway);
  when_passed(CellPhases::kSettled - 1ms, kOtherHasNothing);
  EXPECT_EQ(phases_.leaving(), 0);
  EXPECT_EQ(when_passed(1ms, kGivesAway), Step::kNone);
  EXPECT_EQ(when_passed(CellPhases::kSettled, kGivesAway), Step::kAnnounce);
}

TEST_F(CellPhasesSpec, PassesOnWhatItHasGivenUpAndEndsWhatItHasBegun) {
  given_leaving();
  EXPECT_EQ(when_passed(CellPhases::kAfterwards - 1ms, kGivesAway), Step::kNone);
  EXPECT_EQ(then(), "answered");
  EXPECT_EQ(when_passed(1ms, kGivesAway), Step::kNone);
  EXPECT_EQ(then(), "");
  EXPECT_EQ(when_passed(CellPhases::kToEnd - 1ms, kGivesAway), Step::kNone);
  EXPECT_EQ(when_passed(1ms, kGivesAway), Step::kClose);
  EXPECT_EQ(then(), "away");
  EXPECT_EQ(when_passed(0ms, kOtherHasNothing), Step::kNone) << "no one else has its rows";
  EXPECT_EQ(when_passed(0ms, kGivesAway), Step::kRemove);
}

TEST_F(CellPhasesSpec, TakesBackAtOnceWhatNoOtherHoldsAnyMore) {
  given_leaving();
  EXPECT_EQ(when_passed(1ms, kOtherHasNothing), Step::kAnnounce);
  EXPECT_EQ(then(), "answered announced first");
}

TEST_F(CellPhasesSpec, TakesBackWhatItIsAboutToClose) {
  given_ending();
  EXPECT_EQ(when_passed(CellPhases::kToEnd, kOtherHasNothing), Step::kAnnounce);
  EXPECT_EQ(then(), "answered announced first");
}

// Its rows may be behind, since it answered for them last.
TEST_F(CellPhasesSpec, CatchesUpWithWhatItShouldHoldAgain) {
  given_ending();
  EXPECT_EQ(when_passed(1ms, kAlone), Step::kTake);
  EXPECT_EQ(then(), "lost");
  phases_.take(kCell);
  EXPECT_EQ(then(), "answered announced first");
}

TEST_F(CellPhasesSpec, LeavesACellThatStandsStillToOthersThatHoldIt) {
  given_held();
  goes_on_ = false;
  EXPECT_EQ(then(), "answered announced") << "no other answers better";
  when_passed(0ms, {.other_lives = true, .other_holds = true, .other_halted = true});
  EXPECT_EQ(then(), "answered announced") << "no other answers better";
  when_passed(0ms, {.other_lives = true, .other_holds = true});
  EXPECT_EQ(then(), "announced");
  goes_on_ = true;
  EXPECT_EQ(then().substr(0, 18), "answered announced");
}

TEST_F(CellPhasesSpec, IsNotFirstWhileAnotherThatShouldHoldTheCellHoldsIt) {
  given_held();
  when_passed(0ms, kGivesAway);
  EXPECT_EQ(then(), "answered announced");
}

}  // namespace
}  // namespace tilth
