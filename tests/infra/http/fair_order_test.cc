// Whose message a server's thread reads next.

#include "infra/http/fair_order.h"

#include <gmock/gmock.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Eq;

class FairOrderOf : public ::testing::Test {
 protected:
  FairOrderOf() { order.begin(now); }

  void add(Party of, std::uint64_t connection) { order.add(of, {connection, 0, StreamMoves{}}); }
  void ready(Party of, std::uint64_t connection) {
    order.add(of, {connection, 0, Ready{true, false}});
  }

  // The connections whose messages come next, if each takes that long.
  std::vector<std::uint64_t> take(std::size_t count, std::chrono::microseconds each = 10us) {
    std::vector<std::uint64_t> taken;
    while (taken.size() < count) {
      const auto next = order.next();
      if (!next) break;
      taken.push_back(next->message.connection);
      order.used(next->of, each);
    }
    return taken;
  }

  const Party greedy = Party::of_account("greedy"), modest = Party::of_account("modest");
  const Party stranger = Party::of_network("192.0.2.1"), other = Party::of_network("192.0.2.2");
  FairOrder::Clock::time_point now{1h};
  FairOrder order;
};

TEST_F(FairOrderOf, APartyWithMuchDoesNotDelayOneWithLittle) {
  for (std::uint64_t i = 0; i < 1'000; ++i) add(greedy, i);
  EXPECT_THAT(take(3), ElementsAre(0, 1, 2));
  add(modest, 5'000);
  add(modest, 5'001);
  EXPECT_THAT(take(4), ElementsAre(5'000, 5'001, 3, 4));
}

TEST_F(FairOrderOf, WhoUsedAsMuchTakesTurns) {
  for (std::uint64_t i = 0; i < 3; ++i) add(greedy, i), add(modest, 10 + i);
  auto taken = take(6);
  for (const std::size_t pair : {0, 2, 4}) {
    EXPECT_TRUE((taken[pair] < 10) != (taken[pair + 1] < 10)) << "at " << pair;
  }
}

TEST_F(FairOrderOf, ManyStrangersHaveHalfOfTheTime) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    ready(Party::of_network("network " + std::to_string(i)), 100 + i);
    ready(greedy, i);
  }
  std::size_t known = 0;
  for (const auto connection : take(20)) known += connection < 100 ? 1 : 0;
  EXPECT_THAT(known, Eq(10));
}

TEST_F(FairOrderOf, AClassAloneHasAllOfIt) {
  add(stranger, 1);
  add(other, 2);
  EXPECT_THAT(take(3, 1s).size(), Eq(2));
  EXPECT_THAT(order.size(), Eq(0));
}

TEST_F(FairOrderOf, WhatWasUsedASecondAgoCountsNoMore) {
  add(greedy, 1);
  take(1, 50ms);
  order.begin(now + 100ms);  // 25 ms are left of it
  add(greedy, 2);
  add(modest, 3);
  EXPECT_THAT(take(1, 30ms), ElementsAre(3));
  add(modest, 4);
  EXPECT_THAT(take(2), ElementsAre(2, 4));
  order.begin(now + 3s);
  add(modest, 5);
  add(modest, 6);
  add(greedy, 7);
  EXPECT_THAT(take(2), testing::UnorderedElementsAre(5, 7)) << "both begin again";
}

TEST_F(FairOrderOf, WhatAClassUsedASecondAgoCountsNoMore) {
  for (const auto& [busy, idle] : {std::pair(greedy, stranger), std::pair(stranger, greedy)}) {
    add(busy, 1);
    take(1, 50ms);
    order.begin(now += 3s);
    add(idle, 2);
    take(1, 10us);
    add(busy, 3);
    add(idle, 4);
    EXPECT_THAT(take(2), ElementsAre(3, 4));
  }
}

TEST_F(FairOrderOf, OnlyMessagesAreLeftWhenATurnEnds) {
  ready(greedy, 1);
  add(greedy, 2);
  ready(greedy, 3);
  ready(modest, 4);
  add(stranger, 5);
  order.forget_ready();
  EXPECT_THAT(order.size(), Eq(2));
  EXPECT_THAT(take(9), testing::UnorderedElementsAre(2, 5));
  ready(modest, 6);
  EXPECT_THAT(take(9), ElementsAre(6));
}

}  // namespace
}  // namespace tilth
