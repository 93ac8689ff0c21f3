#include "infra/kafka/read/own_records.h"

#include <gmock/gmock.h>

namespace tilth::testing {
namespace {

class OwnRecordsTest : public ::testing::Test {
 protected:
  void tell(int partition, std::int64_t offset) {
    const auto id = std::to_string(partition) + "/" + std::to_string(offset);
    own.add_own({partition, offset}, std::make_shared<Record>(Record{"user_1", {.id = id}}));
  }
  // All records from `next` on, as a reader takes them.
  std::string take_all(std::map<int, std::int64_t> next) {
    std::string taken;
    while (true) {
      const auto one = own.take(next);
      if (!one) return one.error().message;
      if (!*one) return taken;
      next[(*one)->position.partition] = (*one)->position.offset + 1;
      taken += (*one)->record->envelope.id + " ";
    }
  }

  int woken = 0;
  OwnRecords own{"events", [this] { ++woken; }};
};

TEST_F(OwnRecordsTest, AreTakenInTheOrderOfTheirPartition) {
  tell(0, 4), tell(1, 9), tell(0, 5);
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(take_all({{0, 4}, {1, 9}}), "0/4 0/5 1/9 ");
  EXPECT_EQ(take_all({{0, 4}, {1, 9}}), "");
}

TEST_F(OwnRecordsTest, WaitForWhatOthersAppendedBetween) {
  tell(0, 5), tell(1, 9);
  EXPECT_EQ(take_all({{0, 4}, {1, 9}}), "1/9 ");
  EXPECT_EQ(take_all({{0, 5}, {1, 10}}), "0/5 ");
}

TEST_F(OwnRecordsTest, AreForgottenOnceTheyWereReadElsewhereOrNoOneReadsThere) {
  tell(0, 4), tell(0, 5), tell(7, 1);
  EXPECT_EQ(take_all({{0, 5}}), "0/5 ");
  EXPECT_EQ(take_all({{0, 4}, {7, 1}}), "");
}

TEST_F(OwnRecordsTest, DoNotPileUpWhereNoOneTakesThem) {
  constexpr int kMany = 10'000;
  for (int offset = 0; offset < kMany; ++offset) tell(0, offset);
  EXPECT_EQ(take_all({{0, 0}}), "");
  EXPECT_THAT(take_all({{0, kMany - 1}}), ::testing::HasSubstr("/9999"));
}

// As when the threads of two brokers report them, because the leader was replaced.
TEST_F(OwnRecordsTest, AreLeftToTheBrokersWhereTheyAreToldInAnotherOrder) {
  tell(0, 5), tell(0, 4);
  EXPECT_EQ(take_all({{0, 4}}), "");
  EXPECT_EQ(take_all({{0, 5}}), "0/5 ");
}

TEST_F(OwnRecordsTest, MayBeToldAfterABrokerHasHandedThemOut) {
  EXPECT_TRUE(own.keep_in_mind({0, 4}, "0/4"));
  tell(0, 4);
  EXPECT_EQ(take_all({{0, 5}}), "");
}

// As when the topic was deleted and recreated: its offsets start again.
TEST_F(OwnRecordsTest, ShowThatTheTopicIsAnother) {
  EXPECT_TRUE(own.keep_in_mind({0, 4}, "another"));
  tell(0, 4), tell(0, 5);
  const auto sentence =
      "The topic events is another one than it was: partition 0, offset 4 has another record than "
      "was read there.";
  EXPECT_EQ(take_all({{0, 5}}), sentence);
  EXPECT_EQ(own.keep_in_mind({0, 4}, "0/4").error().message, sentence);
}

TEST_F(OwnRecordsTest, WakeNoOneWhoIsGone) {
  own.close();
  tell(0, 1);
  EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace tilth::testing
