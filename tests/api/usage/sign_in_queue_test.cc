#include "api/usage/sign_in_queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace tilth {
namespace {

using ::testing::ElementsAre;

class SignInQueueTest : public ::testing::Test {
 protected:
  bool submit(const std::string& address, const std::string& email, bool known = false) {
    return queue_.submit({address, email, known}, [this, email](bool may_begin) {
      ran_.push_back(may_begin ? email : email + " too late");
    });
  }

  // How many of `count` strangers, each with an email of their own, get a place.
  int flood(const std::string& address, int count) {
    int taken = 0;
    for (int i = 0; i < count; ++i) taken += submit(address, address + std::to_string(i)) ? 1 : 0;
    return taken;
  }

  void run_all(bool may_begin = true) {
    for (auto& work : posted_) work(may_begin);
    posted_.clear();
  }

  bool takes_ = true;
  std::vector<SignInQueue::Work> posted_;
  std::vector<std::string> ran_;
  SignInQueue queue_{[this](const auto&, SignInQueue::Work work) {
                       if (takes_) posted_.push_back(std::move(work));
                       return takes_;
                     },
                     {.known = 4, .others = 12}};
};

TEST_F(SignInQueueTest, RunsThemInTheirOrder) {
  EXPECT_TRUE(submit("192.0.2.1", "a"));
  EXPECT_TRUE(submit("198.51.100.1", "b"));
  run_all();
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(SignInQueueTest, LetsKnownBrowsersGoFirst) {
  submit("192.0.2.1", "a");
  submit("192.0.2.1", "b", true);
  run_all();
  EXPECT_THAT(ran_, ElementsAre("b", "a"));
}

TEST_F(SignInQueueTest, LeavesPlacesWhenOneAddressSendsMany) {
  EXPECT_EQ(flood("192.0.2.1", 100), 3);
  EXPECT_EQ(queue_.refused(), 97);
  EXPECT_TRUE(submit("198.51.100.1", "ada"));
}

TEST_F(SignInQueueTest, LeavesPlacesWhenOneNetworkSendsMany) {
  int taken = 0;
  for (int i = 1; i < 250; ++i) taken += flood("192.0.2." + std::to_string(i), 1);
  EXPECT_EQ(taken, 3);
  taken = 0;
  for (int i = 1; i < 250; ++i) taken += flood("2001:db8:0:" + std::to_string(i) + "::1", 1);
  EXPECT_LE(taken, 3);
  EXPECT_TRUE(submit("198.51.100.1", "ada"));
}

TEST_F(SignInQueueTest, LeavesPlacesWhenManyAddressesTryOneEmail) {
  int taken = 0;
  for (int i = 1; i < 100; ++i) taken += submit(std::to_string(i) + ".0.0.1", "ada") ? 1 : 0;
  EXPECT_EQ(taken, 3);
  EXPECT_TRUE(submit("198.51.100.1", "bob"));
}

TEST_F(SignInQueueTest, KeepsPlacesForKnownBrowsersWhenTheWholeWorldSignsIn) {
  int taken = 0;
  for (int i = 1; i < 200; ++i) taken += flood(std::to_string(i) + ".0.0.1", 1);
  EXPECT_EQ(taken, 12);
  EXPECT_FALSE(submit("200.0.0.1", "bob"));
  EXPECT_TRUE(submit("200.0.0.1", "ada", true));
  EXPECT_TRUE(submit("200.0.0.1", "ada", true));
  EXPECT_FALSE(submit("200.0.0.1", "ada", true)) << "one account has a share, too";
  EXPECT_TRUE(submit("200.0.0.1", "eve", true));
}

TEST_F(SignInQueueTest, FreesThePlacesOfWhatHasRun) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(flood("192.0.2.1", 10), 3);
    run_all();
  }
}

TEST_F(SignInQueueTest, FreesThePlaceOfWhatNothingRuns) {
  takes_ = false;
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(submit("192.0.2.1", "a"));
  takes_ = true;
  EXPECT_TRUE(submit("192.0.2.1", "a"));
  run_all();
  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(SignInQueueTest, ATimeThatIsOverEndsWhatHasWaitedLongest) {
  submit("192.0.2.1", "a");
  submit("198.51.100.1", "ada", true);
  posted_[0](false);
  EXPECT_THAT(ran_, ElementsAre("a too late")) << "a known browser has just come";
  posted_[1](true);
  EXPECT_THAT(ran_, ElementsAre("a too late", "ada"));
}

TEST_F(SignInQueueTest, TellsEachThatItIsTooLate) {
  submit("192.0.2.1", "a");
  submit("198.51.100.1", "b");
  run_all(false);
  EXPECT_THAT(ran_, ElementsAre("a too late", "b too late"));
  EXPECT_EQ(flood("192.0.2.1", 10), 3);
}

}  // namespace
}  // namespace tilth
