#include <gtest/gtest.h>

#include "infra/cluster/nodes_to_ask.h"

namespace tilth {
namespace {

using Step = NodesToAsk::Step;
using Nodes = std::vector<std::string>;

Nodes none() { return {}; }

// All that are asked if each of them has not the rows, in order.
Nodes asked(NodesToAsk nodes, const std::function<Nodes()>& others) {
  Nodes asked;
  for (auto node = nodes.next(); node; node = nodes.next()) {
    asked.push_back(*node);
    EXPECT_EQ(nodes.on_lost(false, false, others), Step::kAsk);
  }
  return asked;
}

TEST(NodesToAsk, AsksTheFirstOneFirst) {
  EXPECT_EQ(asked({{"a", "b"}, false}, none), (Nodes{"a", "b"}));
}

TEST(NodesToAsk, LooksOnceMoreForNodesThatHaveTheRowsByNow) {
  EXPECT_EQ(asked({{"a"}, false}, [] { return Nodes{"b", "c"}; }), (Nodes{"a", "b", "c"}));
}

TEST(NodesToAsk, AsksNobodyIfNobodyHasTheRows) {
  EXPECT_EQ(NodesToAsk({}, true).next(), std::nullopt);
}

TEST(NodesToAsk, DoesNotRepeatWhatMayHaveBeenDone) {
  NodesToAsk nodes({"a", "b"}, false);
  nodes.next();
  EXPECT_EQ(nodes.on_lost(true, false, none), Step::kUnknown);
}

TEST(NodesToAsk, RepeatsWhatTakesEffectOnceHoweverOftenItIsAsked) {
  NodesToAsk nodes({"a", "b"}, true);
  nodes.next();
  EXPECT_EQ(nodes.on_lost(true, false, none), Step::kAsk);
  EXPECT_EQ(nodes.next(), "b");
}

TEST(NodesToAsk, EndsWhereTheRowsHaveMovedHere) {
  NodesToAsk nodes({"a", "b"}, true);
  nodes.next();
  EXPECT_EQ(nodes.on_lost(true, true, none), Step::kHere);
}

}  // namespace
}  // namespace tilth
