#include "infra/cluster/cluster_view.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

// The node "own" listens, and hears itself unless the test says otherwise.
class ClusterViewTest : public ::testing::Test {
 protected:
  static Announcement said(std::string node, std::string run) {
    return {.node = std::move(node),
            .run = std::move(run),
            .at = kNoon,
            .version = "1.0",
            .started_at = kNoon,
            .ready = true};
  }

  void hear(Announcement announcement, std::chrono::milliseconds clock_ahead = 0ms) {
    announcement.at = {time().at + clock_ahead};
    view_.update(announcement, now_, time());
  }
  void hear(const std::string& node) { hear(said(node, node + "'s run")); }

  void pass(std::chrono::milliseconds time, bool hears_itself = true) {
    now_ += time;
    if (hears_itself) view_.confirm(now_);
  }

  Timestamp time() const {
    return {kNoon.at + std::chrono::duration_cast<std::chrono::milliseconds>(now_ - kBegin)};
  }

  // "one live, two dead, two live (id shared)", without this node.
  std::string standing() const {
    std::string text;
    for (const auto& node : view_.standing(self_, now_)) {
      if (node.self) continue;
      for (const auto& [state, label] : labels(NodeState{})) {
        if (state == node.state) text += node.node + " " + std::string(label);
      }
      if (node.id_shared) text += " (id shared)";
      if (node.clock_apart) text += " (clock apart)";
      if (node.other_version) text += " (" + node.version + ")";
      text += ", ";
    }
    return text.substr(0, text.size() - std::min<std::size_t>(2, text.size()));
  }
  NodeStanding own() const { return view_.standing(self_, now_).front(); }

  static constexpr ClusterView::Steady::time_point kBegin{1h};
  ClusterView::Steady::time_point now_ = kBegin;
  const Announcement self_ = said("own", "own run");
  ClusterView view_{"own run", kBegin};
};

TEST_F(ClusterViewTest, ANodeThatIsAloneKnowsItself) {
  EXPECT_EQ(standing(), "");
  EXPECT_EQ(own().node, "own");
  EXPECT_TRUE(own().ready);
  EXPECT_EQ(own().state, NodeState::kLive);
}

// The others may be as silent as that, and live.
TEST_F(ClusterViewTest, ANodeThatStartsHasHeardAllOnceItHasListenedForThreeSeconds) {
  pass(3s, false);
  EXPECT_FALSE(view_.knows_all(now_)) << "it does not hear itself";
  pass(1s), pass(2s), pass(999ms);
  EXPECT_FALSE(view_.knows_all(now_));
  pass(1ms);
  EXPECT_TRUE(view_.knows_all(now_));
  pass(2s, false);
  EXPECT_FALSE(view_.knows_all(now_)) << "it no longer hears itself";
}

TEST_F(ClusterViewTest, ANodeIsDeadOnceItHasBeenSilentForThreeSeconds) {
  hear("two"), hear("one");
  EXPECT_EQ(standing(), "one live, two live");
  pass(1s), hear("one");
  pass(1'999ms);
  EXPECT_EQ(standing(), "one live, two live");
  pass(1ms);
  EXPECT_EQ(standing(), "one live, two dead");
  hear("two");
  EXPECT_EQ(standing(), "one live, two live");
}

TEST_F(ClusterViewTest, ADeadNodeIsToldOfForTenMinutes) {
  hear("one");
  pass(10min - 1ms);
  const auto node = view_.standing(self_, now_).back();
  EXPECT_EQ(node.state, NodeState::kDead);
  EXPECT_EQ(node.heard_at, kNoon);
  EXPECT_EQ(node.silent_for, 10min - 1ms);
  pass(1ms);
  EXPECT_EQ(standing(), "");
}

TEST_F(ClusterViewTest, WhatANodeHoldsAndFollowsNotAllOfIsTold) {
  auto last = said("one", "run");
  last.holds = {{0, 4711}, {7, 0}};
  last.halted = {7};
  hear(last);
  const auto node = view_.standing(self_, now_).back();
  EXPECT_EQ(node.next, (std::vector<Position>{{0, 4711}, {7, 0}}));
  EXPECT_EQ(node.halted, std::vector<int>{7});
}

TEST_F(ClusterViewTest, ANodeThatSaysSoHasLeftAtOnce) {
  auto last = said("one", "run");
  hear(last);
  last.left = true;
  hear(last);
  EXPECT_EQ(standing(), "one left");
  pass(1min);
  EXPECT_EQ(standing(), "one left");
}

TEST_F(ClusterViewTest, ANodeThatDoesNotHearItselfDeclaresNoOtherDead) {
  hear("one");
  pass(1'999ms, false);
  EXPECT_FALSE(own().cut_off);
  pass(1ms, false);
  EXPECT_TRUE(own().cut_off);
  EXPECT_EQ(standing(), "one live");
  pass(1s, false);
  EXPECT_EQ(standing(), "one unknown");
  pass(0ms);
  EXPECT_EQ(standing(), "one dead");
  EXPECT_FALSE(own().cut_off);
}

TEST_F(ClusterViewTest, ANodeThatBeginsAgainReplacesItsFormerRun) {
  hear(said("one", "run 1"));
  pass(1s), hear(said("one", "run 2"));
  EXPECT_EQ(standing(), "one live");
  pass(5s), hear(said("one", "run 2"));
  EXPECT_EQ(standing(), "one live");
  pass(5s), hear(said("one", "run 3"));
  EXPECT_EQ(standing(), "one live");
}

TEST_F(ClusterViewTest, TwoProcessesWithOneIdAreToldOf) {
  hear(said("one", "run 1")), hear(said("one", "run 2"));
  EXPECT_EQ(standing(), "one live");
  pass(1s), hear(said("one", "run 1"));
  EXPECT_EQ(standing(), "one live (id shared), one live (id shared)");
  for (int second = 0; second < 3; ++second) pass(1s), hear(said("one", "run 2"));
  EXPECT_EQ(standing(), "one dead, one live");
}

TEST_F(ClusterViewTest, AProcessWithTheIdOfThisNodeIsToldOf) {
  hear(said("own", "own run"));
  EXPECT_EQ(standing(), "");
  EXPECT_FALSE(own().id_shared);
  hear(said("own", "other run"));
  EXPECT_EQ(standing(), "own live (id shared)");
  EXPECT_TRUE(own().id_shared);
  pass(3s);
  EXPECT_FALSE(own().id_shared);
}

TEST_F(ClusterViewTest, ClocksThatAreApartAreToldOf) {
  hear(said("ahead", "1"), 2'001ms);
  hear(said("behind", "2"), -2'001ms);
  hear(said("near", "3"), 2s);
  EXPECT_EQ(standing(), "ahead live (clock apart), behind live (clock apart), near live");
}

TEST_F(ClusterViewTest, WhatArrivesLateIsNoClockThatIsBehind) {
  hear(said("one", "1"));
  hear(said("one", "1"), -30s);
  EXPECT_EQ(standing(), "one live");
  for (int i = 0; i < 10; ++i) hear(said("one", "1"), -30s);
  EXPECT_EQ(standing(), "one live (clock apart)");
}

TEST_F(ClusterViewTest, ANodeOfAnotherVersionIsToldOf) {
  auto older = said("one", "1");
  older.version = "0.9";
  hear(older);
  EXPECT_EQ(standing(), "one live (0.9)");
}

TEST(NodeStanding, WhatOperatorsShouldKnowIsToldInSentences) {
  NodeStanding node{.version = "0.9", .clock_ahead = -2'345ms};
  EXPECT_TRUE(warnings_about(node).empty());
  node.other_version = node.clock_apart = node.id_shared = node.cut_off = true;
  EXPECT_EQ(
      warnings_about(node),
      (std::vector<std::string>{
          "This node's own announcements do not come back from Kafka, so it does not know which "
          "nodes are live.",
          "Two running processes have this id: give one of them a data directory that is not "
          "a copy.",
          "Its clock is 2.3 s behind.", "It runs another version, 0.9."}));
  NodeStanding unreached{.unreached_because = "The node at b:1 cannot be reached: no route."};
  EXPECT_EQ(warnings_about(unreached), std::vector{unreached.unreached_because});
}

TEST(NodeStanding, OfProjectionsThatDoNotGoOnIsToldAsLongAsTheNodeLives) {
  NodeStanding node{.ready = true, .stopped = {"finance", "market"}};
  EXPECT_EQ(warnings_about(node),
            std::vector<std::string>{
                "It is not ready: of its projections, these do not go on: finance, market."});
  node.state = NodeState::kDead;
  EXPECT_TRUE(warnings_about(node).empty());
}

TEST(NodeStanding, OfADrainIsToldAsLongAsTheNodeLives) {
  NodeStanding node{.draining = true, .next = {{0, 1}}};
  EXPECT_EQ(warnings_about(node), std::vector<std::string>{"It gives away what it holds."});
  node.state = NodeState::kLeft;
  EXPECT_TRUE(warnings_about(node).empty());
}

}  // namespace
}  // namespace tilth
