#include "infra/usage_sharing.h"

#include <atomic>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "infra/random.h"
#include "tests/flaky_log.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

class SetClock final : public Clock {
 public:
  Timestamp now() const override { return kNoon; }
};

std::vector<Position> beginnings(const EventLog& log) {
  std::vector<Position> all;
  for (int partition = 0; partition < log.partitions(); ++partition) all.push_back({partition, 0});
  return all;
}

// What every node has of its own.
struct UsageNode {
  UsageNode(EventLog& log, std::string name)
      : UsageNode(log, std::move(name), std::move(*log.read(beginnings(log)))) {}
  UsageNode(EventLog& log, std::string name, std::unique_ptr<LogReader> reader)
      : sharing({.log = log,
                 .limiter = limiter,
                 .clock = clock,
                 .ids = ids,
                 .node = std::move(name),
                 .known = [this] { return known.load(); },
                 .begin = [&log] { return log.read(beginnings(log)); }},
                std::move(reader)) {}

  void ask(int times) {
    for (int i = 0; i < times; ++i) limiter.count_user("user_1", 100, "key_1", 50, kNoon);
  }
  std::uint64_t remaining() {
    return limiter.count_user("user_1", 100, "key_2", {}, kNoon).remaining;
  }
  // Shares until the node has read its own newest batch back.
  void share() {
    sharing.share(limiter.take_changes(kNoon));
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!sharing.fresh()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it does not hear itself";
      std::this_thread::yield();
    }
  }

  SetClock clock;
  IdSource ids{fill_random};
  RateLimiter limiter;
  std::atomic<std::int64_t> known = 0;
  UsageSharing sharing;
};

// At what comes next in a log that has forgotten it.
class ForgottenReader final : public LogReader {
 public:
  Result<std::vector<LoggedRecord>> next(std::size_t, std::chrono::milliseconds) override {
    return Error{ErrorCode::kLost, "It is gone."};
  }
  void wake() override {}
};

class UsageSharingTest : public ::testing::Test {
 protected:
  // Once the other one has counted what was shared.
  template <class Done>
  static void wait_until(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it was never heard";
      std::this_thread::yield();
    }
  }

  MemoryEventLog log{1, MemoryEventLog::Refused::kKept};
  UsageNode one{log, "one"}, other{log, "other"};
};

TEST_F(UsageSharingTest, LetsTheOtherNodeCountWhatThisOneAnswered) {
  one.ask(50);
  one.share();
  int asked = 0;
  wait_until([&] { return ++asked, other.remaining() == 0; });
  EXPECT_LE(asked, 100);
  EXPECT_FALSE(other.limiter.count_user("user_1", 100, "key_2", {}, kNoon).allowed);
}

TEST_F(UsageSharingTest, TellsOnlyWhatIsNewOfAnInstant) {
  one.ask(10);
  one.share();
  one.ask(5);
  wait_until([&] {
    one.sharing.share(one.limiter.take_changes(kNoon));
    std::uint64_t told = 0;
    const auto reader = log.read({{0, 0}});
    const auto page = (*reader)->next(1'000, 0ms);
    for (const auto& logged : *page) {
      const auto& json = logged.record.json;
      if (json.find("\"count\":10") != json.npos) ++told;
      if (json.find("\"count\":15") != json.npos) ADD_FAILURE() << "the first ten were told again";
      if (json.find("\"count\":5}") != json.npos) ++told;
    }
    return told >= 2;
  });
}

TEST_F(UsageSharingTest, DoesNotTellWhatOthersCounted) {
  one.ask(50);
  one.share();
  wait_until([&] { return other.remaining() == 0; });
  std::uint64_t own = 0;
  for (const auto& change : other.limiter.take_changes(kNoon)) {
    for (const auto& [at, count] : change.counted) own += count;
  }
  EXPECT_LE(own, 50U);
}

TEST_F(UsageSharingTest, AddsUpHowOftenAKeyWasUsed) {
  one.ask(3);
  other.ask(2);
  one.share();
  wait_until([&] { return other.limiter.use_of("user_1", "key_1").count == 5; });
  EXPECT_EQ(other.limiter.use_of("user_1", "key_1").last, kNoon);
  EXPECT_EQ(one.limiter.use_of("user_1", "key_1").count, 3U);
}

TEST_F(UsageSharingTest, IsNotFreshBeforeItHasHeardItself) { EXPECT_FALSE(one.sharing.fresh()); }

TEST_F(UsageSharingTest, IsNotFreshBeforeItHasReadWhatOthersHadReadOfKeys) {
  other.known = 7;
  other.share();
  const auto since = SleeplessClock::now();
  one.sharing.share(one.limiter.take_changes(kNoon));
  wait_until([&] { return one.sharing.told(since); });
  EXPECT_FALSE(one.sharing.fresh());
  one.known = 7;
  one.share();
}

TEST_F(UsageSharingTest, HasToldWhatItKnewBeforeItsNewestBatch) {
  const auto since = SleeplessClock::now();
  EXPECT_FALSE(one.sharing.told(since));
  one.share();
  EXPECT_TRUE(one.sharing.told(since));
  EXPECT_FALSE(one.sharing.told(SleeplessClock::now()));
}

TEST_F(UsageSharingTest, BeginsWithWhatStillCountsWhenTheLogForgotWhatComesNext) {
  one.ask(50);
  one.share();
  UsageNode late(log, "late", std::make_unique<ForgottenReader>());
  late.share();
  wait_until([&] { return late.remaining() <= 50; });
}

TEST(UsageSharingOnABadLog, SendsABatchAgainWhoseOutcomeIsUnknown) {
  FlakyLog log;
  log.faults = {FlakyLog::Fault::kLosesTheRecord};
  UsageNode node(log, "one");
  node.ask(1);
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!node.sharing.fresh()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    node.sharing.share(node.limiter.take_changes(kNoon));
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace tilth::testing
