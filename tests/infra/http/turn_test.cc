#include "infra/http/turn.h"

#include <thread>

#include <gtest/gtest.h>

namespace tilth {
namespace {

class Counted final : public Turn::Ending {
 public:
  void on_end_of_turn() override { ++ended; }
  int ended = 0;
};

TEST(Turn, EndsOnceForAllThatWasPutOff) {
  const auto one = std::make_shared<Counted>(), other = std::make_shared<Counted>();
  {
    const Turn turn;
    EXPECT_TRUE(Turn::put_off(one));
    {
      const Turn within;
      EXPECT_TRUE(Turn::put_off(one));
      EXPECT_TRUE(Turn::put_off(other));
    }
    EXPECT_EQ(one->ended + other->ended, 0);
  }
  EXPECT_EQ(one->ended, 1);
  EXPECT_EQ(other->ended, 1);
}

TEST(Turn, IsFlushedBeforeItEnds) {
  const auto one = std::make_shared<Counted>();
  Turn::flush();
  {
    const Turn turn;
    Turn::put_off(one);
    Turn::flush();
    EXPECT_EQ(one->ended, 1);
    Turn::flush();
    EXPECT_EQ(one->ended, 1) << "nothing was put off since";
    Turn::put_off(one);
  }
  EXPECT_EQ(one->ended, 2);
}

TEST(Turn, ThereIsNoneOutsideOfItOrOnAnotherThread) {
  const auto one = std::make_shared<Counted>();
  EXPECT_FALSE(Turn::put_off(one));
  const Turn turn;
  std::jthread([&] { EXPECT_FALSE(Turn::put_off(one)); });
}

}  // namespace
}  // namespace tilth
