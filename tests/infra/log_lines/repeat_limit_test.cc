#include "infra/log_lines/repeat_limit.h"

#include <gmock/gmock.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class RepeatLimitTest : public ::testing::Test {
 protected:
  int admitted(const std::string& kind, int times) {
    int count = 0;
    for (int i = 0; i < times; ++i) count += limit_.admits(kind, now_) ? 1 : 0;
    return count;
  }
  std::string told() {
    std::string text;
    for (const auto& [kind, lines] : limit_.take_left_out(now_)) {
      text += kind + " " + std::to_string(lines) + "; ";
    }
    return text;
  }

  RepeatLimit limit_;
  RepeatLimit::Steady::time_point now_{100h};
};

TEST_F(RepeatLimitTest, AdmitsAFewOfEachKind) {
  EXPECT_EQ(admitted("a", 100), 5);
  EXPECT_EQ(admitted("b", 4), 4);
}

TEST_F(RepeatLimitTest, TellsWhatItLeftOutOnceTheMinuteIsOver) {
  admitted("a", 100);
  now_ += 59s;
  EXPECT_EQ(told(), "");
  now_ += 1s;
  EXPECT_EQ(told(), "a 95; ");
  EXPECT_EQ(told(), "");
  EXPECT_EQ(admitted("a", 100), 5);
}

TEST_F(RepeatLimitTest, LosesNoCountIfNobodyTakesIt) {
  admitted("a", 100);
  now_ += 10min;
  admitted("a", 7);
  EXPECT_EQ(told(), "a 102; ");
}

TEST_F(RepeatLimitTest, TellsNothingOfAKindThatStayedBelow) {
  admitted("a", 5);
  now_ += 1min;
  EXPECT_EQ(told(), "");
}

TEST_F(RepeatLimitTest, HoldsABoundedNumberOfKinds) {
  for (int i = 0; i < 5'000; ++i) admitted(std::to_string(i), 1);
  EXPECT_EQ(admitted("new", 10), 0);
  now_ += 1min;
  EXPECT_EQ(told(), "others 4005; ");
}

}  // namespace
}  // namespace tilth
