#include "infra/usage/usage_keeper.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

class StandingClock final : public Clock {
 public:
  Timestamp now() const override { return kNoon; }
};

// A store that may fail, and counts the attempts.
class Shelf {
 public:
  UsageKeeper::Keep keep() {
    return [this](const std::vector<RateLimiter::Change>& changes, Timestamp now) -> Status {
      const std::lock_guard lock(mutex_);
      ++tries_;
      changed_.notify_all();
      EXPECT_EQ(now, kNoon);
      if (broken_) return Error{ErrorCode::kUnavailable, "The disk is full."};
      for (const auto& change : changes) {
        for (const auto& [at, count] : change.counted) kept_[change.subject] = count;
      }
      return kDone;
    };
  }
  UsageKeeper::Log log() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
      changed_.notify_all();
    };
  }
  void set_broken(bool broken) {
    const std::lock_guard lock(mutex_);
    broken_ = broken;
  }
  bool wait_for_tries(int more) {
    std::unique_lock lock(mutex_);
    const int until = tries_ + more;
    return changed_.wait_for(lock, 20s, [&] { return tries_ >= until; });
  }
  bool wait_for_lines(std::size_t lines) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return lines_.size() >= lines; });
  }
  std::map<std::string, std::uint32_t> kept() const {
    const std::lock_guard lock(mutex_);
    return kept_;
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool broken_ = false;
  int tries_ = 0;
  std::map<std::string, std::uint32_t> kept_;
  std::vector<std::string> lines_;
};

using Kept = std::map<std::string, std::uint32_t>;

TEST(UsageKeeper, KeepsWhatIsCountedWhileItRuns) {
  RateLimiter limiter;
  const StandingClock clock;
  Shelf shelf;
  UsageKeeper keeper(limiter, clock, shelf.keep(), shelf.log(), 1ms);
  limiter.count_user("u", 10, "k", {}, kNoon);
  ASSERT_TRUE(shelf.wait_for_tries(2));
  EXPECT_EQ(shelf.kept(), (Kept{{"u", 1}}));
}

TEST(UsageKeeper, KeepsOnceMoreWhenItIsStopped) {
  RateLimiter limiter;
  const StandingClock clock;
  Shelf shelf;
  UsageKeeper keeper(limiter, clock, shelf.keep(), shelf.log(), 1h);
  limiter.count_user("u", 10, "k", {}, kNoon);
  keeper.stop();
  EXPECT_EQ(shelf.kept(), (Kept{{"u", 1}}));
}

TEST(UsageKeeper, GivesAgainWhatCouldNotBeKeptAndSaysSoOnce) {
  RateLimiter limiter;
  const StandingClock clock;
  Shelf shelf;
  shelf.set_broken(true);
  UsageKeeper keeper(limiter, clock, shelf.keep(), shelf.log(), 1ms);
  limiter.count_user("u", 10, "k", {}, kNoon);
  limiter.count_address("192.0.2.1", 10, kNoon);
  ASSERT_TRUE(shelf.wait_for_tries(3));
  limiter.count_user("u", 10, "k", {}, kNoon);
  ASSERT_TRUE(shelf.wait_for_tries(3));
  EXPECT_THAT(shelf.kept(), IsEmpty());
  EXPECT_THAT(shelf.lines(), ElementsAre(HasSubstr("The disk is full.")));
  shelf.set_broken(false);
  ASSERT_TRUE(shelf.wait_for_lines(2));
  EXPECT_EQ(shelf.kept(), (Kept{{"u", 2}, {"192.0.2.1", 1}}));
  EXPECT_THAT(shelf.lines()[1], HasSubstr("kept again"));
}

}  // namespace
}  // namespace tilth
