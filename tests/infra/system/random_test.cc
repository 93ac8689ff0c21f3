#include "infra/system/random.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "events/values/ids.h"

namespace tilth {
namespace {

class RisingRandomTest : public ::testing::Test {
 protected:
  std::vector<Uuid> make(int count) const {
    std::vector<Uuid> made;
    for (int i = 0; i < count; ++i) made.push_back(ids_.uuid({}));
    return made;
  }

  static std::uint64_t low(const Uuid& uuid) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < 16; ++i) number = number << 8 | uuid.bytes[i];
    return number;
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

TEST_F(RisingRandomTest, StepsAreRandomAndLeaveRoomForIdsInARow) {
  const auto made = make(100);
  std::set<std::uint64_t> steps;
  for (std::size_t i = 1; i < made.size(); ++i) steps.insert(low(made[i]) - low(made[i - 1]));
  EXPECT_EQ(steps.size(), made.size() - 1);
  EXPECT_GE(*steps.begin(), 1U << 24);
}

}  // namespace
}  // namespace tilth
