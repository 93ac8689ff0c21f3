#include "infra/random.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "events/ids.h"

namespace tilth {
namespace {

class RisingRandomTest : public ::testing::Test {
 protected:
  std::vector<Uuid> make(int count) const {
    std::vector<Uuid> made;
    for (int i = 0; i < count; ++i) made.push_back(ids_.uuid({}));
    return made;
  }

  RisingRandom random_;
  const IdSource ids_{
      [this](std::uint8_t* bytes, std::size_t count) { random_.fill(bytes, count); }};
};

TEST_F(RisingRandomTest, LaterUuidsOfOneMillisecondSortLater) {
  const auto made = make(10'000);
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end(), std::less_equal<>()));
}

TEST_F(RisingRandomTest, ThreadsNeverMakeTheSame) {
  std::vector<std::vector<Uuid>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : made) threads.emplace_back([this, &own] { own = make(10'000); });
  }
  std::vector<Uuid> all;
  for (const auto& own : made) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(RisingRandomTest, NoStepIsLikeTheOneBefore) {
  const auto made = make(3);
  const auto number = [](const Uuid& uuid) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i < 16; ++i) value = value << 8 | uuid.bytes[i];
    return value;
  };
  EXPECT_NE(number(made[1]) - number(made[0]), number(made[2]) - number(made[1]));
}

}  // namespace
}  // namespace tilth
