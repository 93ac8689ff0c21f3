#include "infra/cluster/asking_nodes.h"

#include <utility>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using Nodes = std::map<std::size_t, std::vector<std::string>>;

// Nodes that answer when the test says so.
class AskingNodesTest : public ::testing::Test {
 protected:
  struct Request {
    std::string node;
    CellTexts asks;
    AskingNodes::OnAnswer answer;
  };

  void ask(Nodes nodes, CellTexts asks) {
    AskingNodes::begin({.nodes_with = [nodes](std::size_t cell) { return nodes.at(cell); },
                        .send =
                            [this](const std::string& node, const CellTexts& of_node, auto answer) {
                              requests_.push_back({node, of_node, std::move(answer)});
                            }},
                       std::move(asks), [this](Result<CellTexts> all) {
                         EXPECT_FALSE(done_) << "it is done once";
                         done_ = true;
                         if (all) all_ = std::move(*all);
                       });
  }
  Request next() {
    auto request = std::move(requests_.front());
    requests_.erase(requests_.begin());
    return request;
  }

  std::vector<Request> requests_;
  bool done_ = false;
  std::optional<CellTexts> all_;
};

TEST_F(AskingNodesTest, AsksEachNodeOnceForAllItsCells) {
  ask({{1, {"b", "c"}}, {2, {"c"}}, {3, {"b"}}}, {{1, "one"}, {2, "two"}, {3, "three"}});
  ASSERT_EQ(requests_.size(), 2U);
  const auto b = next(), c = next();
  EXPECT_EQ(b.asks, (CellTexts{{1, "one"}, {3, "three"}}));
  EXPECT_EQ(c.asks, (CellTexts{{2, "two"}}));
  b.answer(CellTexts{{1, "1"}, {3, "3"}});
  EXPECT_FALSE(done_);
  c.answer(CellTexts{{2, "2"}});
  EXPECT_EQ(all_, (CellTexts{{1, "1"}, {2, "2"}, {3, "3"}}));
}

TEST_F(AskingNodesTest, AsksTheNextNodeIfOneDoesNotAnswer) {
  ask({{1, {"b", "c"}}, {2, {"b", "d"}}}, {{1, "one"}, {2, "two"}});
  next().answer(std::nullopt);
  ASSERT_EQ(requests_.size(), 2U);
  const auto c = next(), d = next();
  EXPECT_EQ(c.node, "c");
  EXPECT_EQ(d.node, "d");
  c.answer(CellTexts{{1, "1"}});
  d.answer(CellTexts{{2, "2"}});
  EXPECT_EQ(all_, (CellTexts{{1, "1"}, {2, "2"}}));
}

TEST_F(AskingNodesTest, ANodeThatAnswersForSomeIsNotBelievedToHaveTheRest) {
  ask({{1, {"b"}}, {2, {"b", "c"}}}, {{1, "one"}, {2, "two"}});
  next().answer(CellTexts{{1, "1"}, {7, "not asked"}});
  ASSERT_EQ(requests_.size(), 1U);
  next().answer(CellTexts{{2, "2"}});
  EXPECT_EQ(all_, (CellTexts{{1, "1"}, {2, "2"}}));
}

TEST_F(AskingNodesTest, FailsOnceNoNodeIsLeft) {
  ask({{1, {"b"}}, {2, {}}}, {{1, "one"}, {2, "two"}});
  EXPECT_FALSE(done_) << "it waits for what it has asked";
  next().answer(CellTexts{{1, "1"}});
  EXPECT_TRUE(done_);
  EXPECT_FALSE(all_);
}

TEST_F(AskingNodesTest, LooksOnceMoreForNodes) {
  ask({{1, {"b"}}}, {{1, "one"}});
  next().answer(std::nullopt);
  next().answer(std::nullopt);
  EXPECT_TRUE(requests_.empty());
  EXPECT_TRUE(done_);
  EXPECT_FALSE(all_);
}

}  // namespace
}  // namespace tilth
