#include "infra/usage/usage_sharing.h"

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "events/json/json_writer.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/system/random.h"
#include "tests/fixtures/flaky_log.h"

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

class SessionsInMemory final : public SessionStore {
 public:
  Status keep(const std::string& digest, const Session& session) override {
    all.insert_or_assign(digest, session);
    return kDone;
  }
  Status forget(const std::string& digest) override {
    all.erase(digest);
    return kDone;
  }
  Status read(const Each& each) override {
    for (const auto& [digest, session] : all) each(digest, session);
    return kDone;
  }

  std::map<std::string, Session> all;
};

using Begin = std::function<Result<std::unique_ptr<LogReader>>()>;

// What each node has.
struct UsageNode {
  UsageNode(EventLog& log, std::string name)
      : UsageNode(log, std::move(name), std::move(*log.read(beginnings(log)))) {}
  UsageNode(EventLog& log, std::string name, std::unique_ptr<LogReader> reader)
      : UsageNode(log, std::move(name), std::move(reader),
                  [&log] { return log.read(beginnings(log)); }) {}
  UsageNode(EventLog& log, std::string name, std::unique_ptr<LogReader> reader, Begin begin)
      : sharing({.log = log,
                 .limiter = limiter,
                 .sessions = sessions,
                 .clock = clock,
                 .ids = ids,
                 .node = std::move(name),
                 .known = [this] { return known.load(); },
                 .begin = std::move(begin),
                 .on_hours = [this](const std::string& node,
                                    const auto& totals) { return heard_of(node, totals); },
                 .on_uses = [this](const auto& totals) { return keep_uses(totals); }},
                std::move(reader)) {}

  void ask(int times) {
    for (int i = 0; i < times; ++i) limiter.count_user("user_1", 100, "key_1", 50, kNoon);
  }
  bool has_heard_of(std::uint64_t times) {
    return limiter.use_of("user_1", "key_1").count == times;
  }
  std::uint64_t remaining() {
    return limiter.count_user("user_1", 100, "key_2", {}, kNoon).remaining;
  }
  // Shares until the node has read its own newest batch back.
  void share() {
    sharing.share(limiter.take_changes(kNoon));
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!sharing.fresh()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it does not read its own batch";
      std::this_thread::yield();
    }
  }

  Status heard_of(const std::string& node, const std::vector<HourlyTotal>& totals) {
    const std::lock_guard lock(heard_mutex);
    for (const auto& total : totals) hours[node + " " + total.key_id] = total.requests;
    return kDone;
  }
  Status keep_uses(const std::vector<RateLimiter::UseElsewhere>& totals) {
    const std::lock_guard lock(heard_mutex);
    uses.insert(uses.end(), totals.begin(), totals.end());
    return kDone;
  }
  std::vector<RateLimiter::UseElsewhere> kept_uses() {
    const std::lock_guard lock(heard_mutex);
    return uses;
  }
  std::int64_t heard_from(const std::string& node_and_key) {
    const std::lock_guard lock(heard_mutex);
    return hours[node_and_key];
  }

  SetClock clock;
  IdSource ids{fill_random};
  RateLimiter limiter;
  std::atomic<std::int64_t> known = 0;
  KeyDigest digest{"the nodes' secret"};
  std::mutex heard_mutex;
  std::map<std::string, std::int64_t> hours;
  std::vector<RateLimiter::UseElsewhere> uses;
  SessionsInMemory kept;  // its thread writes it, too: read it only once a change has arrived
  std::vector<SessionChange> told;
  Sessions sessions{kept, digest, clock, ids,
                    [this](const auto& change) { told.push_back(change); }};
  UsageSharing sharing;
};

// A reader whose next record the log no longer holds, from a moment on.
class ForgottenReader final : public LogReader {
 public:
  explicit ForgottenReader(std::future<void> from = {}) : from_(std::move(from)) {}

  Result<std::vector<LoggedRecord>> next(std::size_t, std::chrono::milliseconds) override {
    if (from_.valid()) from_.get();
    return Error{ErrorCode::kLost, "It is gone."};
  }
  void wake() override {}

 private:
  std::future<void> from_;
};

class UsageSharingTest : public ::testing::Test {
 protected:
  // Waits until the other node has counted what was shared.
  template <class Done>
  static void wait_until(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it never arrived";
      std::this_thread::yield();
    }
  }

  MemoryEventLog log{1, MemoryEventLog::Refused::kKept};
  UsageNode one{log, "one"}, other{log, "other"};
};

TEST_F(UsageSharingTest, TellsTotalsByTheHourAndOnlyTheNewest) {
  one.sharing.share_hours({{"user_1", 1, "key_1", 3, 0}, {"user_1", 1, "key_2", 1, 0}});
  one.sharing.share_hours({{"user_1", 1, "key_1", 5, 2}});
  one.share();
  wait_until([&] { return other.heard_from("one key_1") == 5; });
  EXPECT_EQ(other.heard_from("one key_2"), 1);
  EXPECT_EQ(one.heard_from("one key_1"), 0) << "its own are not told to it";
}

TEST_F(UsageSharingTest, TellsTotalsBeforeItEnds) {
  one.sharing.share({});
  one.sharing.share_hours({{"user_1", 1, "key_1", 3, 0}});  // while a batch is on its way
  one.sharing.finish(20s);
  wait_until([&] { return other.heard_from("one key_1") == 3; });
}

TEST_F(UsageSharingTest, LetsTheOtherNodeCountWhatThisOneAnswered) {
  one.ask(50);
  one.share();
  wait_until([&] { return other.has_heard_of(50); });
  EXPECT_EQ(other.remaining(), 49U);
}

TEST_F(UsageSharingTest, ANodeWhoseClockIsAheadClosesNoWindowForLonger) {
  const Timestamp ahead{kNoon.at + 10h};
  one.limiter.count_user("user_1", 100, "key_1", 50, ahead);
  one.share();
  wait_until([&] { return other.has_heard_of(1); });
  EXPECT_EQ(other.limiter.use_of("user_1", "key_1").last, kNoon);
  const auto counted = other.limiter.count_user("user_1", 100, "key_1", 50, kNoon);
  EXPECT_EQ(counted.remaining, 48U);
  EXPECT_EQ(counted.reset, (Timestamp{kNoon.at + 1h}));
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
      const auto& json = logged.record->json;
      if (json.find("\"count\":10") != json.npos) ++told;
      if (json.find("\"count\":15") != json.npos) ADD_FAILURE() << "the first ten are shared again";
      if (json.find("\"count\":5}") != json.npos) ++told;
    }
    return told >= 2;
  });
}

TEST_F(UsageSharingTest, DoesNotTellWhatOthersCounted) {
  one.ask(50);
  one.share();
  wait_until([&] { return other.has_heard_of(50); });
  std::uint64_t own = 0;
  for (const auto& change : other.limiter.take_changes(kNoon)) {
    for (const auto& [at, count] : change.counted) own += count;
  }
  EXPECT_EQ(own, 0U);
}

TEST_F(UsageSharingTest, AddsUpHowOftenAKeyWasUsed) {
  one.ask(3);
  other.ask(2);
  one.share();
  wait_until([&] { return other.limiter.use_of("user_1", "key_1").count == 5; });
  EXPECT_EQ(other.limiter.use_of("user_1", "key_1").last, kNoon);
  EXPECT_EQ(one.limiter.use_of("user_1", "key_1").count, 3U);
}

TEST_F(UsageSharingTest, AddsUpHowOftenAKeyWasUsedOverARestartThatReadsPartOfTheLogAgain) {
  one.ask(3);
  one.share();
  wait_until([&] { return other.has_heard_of(3); });
  one.ask(4);
  one.share();
  wait_until([&] { return other.kept_uses().size() == 2; });
  const std::vector<Position> second{{0, 1}};
  UsageNode again(log, "other", std::move(*log.read(second)));
  for (const auto& total : other.kept_uses()) again.limiter.apply(total);
  again.share();
  EXPECT_TRUE(again.has_heard_of(7));
}

TEST_F(UsageSharingTest, LetsASessionBeginAndEndAtTheOtherNode) {
  const auto token = *one.sessions.begin({.user_id = "user_1", .epoch = 3});
  one.sharing.share_session(one.told.back());
  one.share();
  wait_until([&] { return other.sessions.find(token).has_value(); });
  ASSERT_TRUE(other.sessions.end(token));
  other.sharing.share_session(other.told.back());
  other.share();
  wait_until([&] { return !one.sessions.find(token); });
}

TEST_F(UsageSharingTest, TellsAllOfASessionAndWhenItWasSeen) {
  const auto token = *one.sessions.begin({.user_id = "user_1",
                                          .epoch = 3,
                                          .method = SignInMethod::kProvider,
                                          .address = "192.0.2.1",
                                          .browser = "Palm/1"});
  one.sharing.share_session(one.told.back());
  one.share();
  wait_until([&] { return other.sessions.find(token).has_value(); });
  const auto there = other.sessions.find(token), here = one.sessions.find(token);
  EXPECT_EQ(there->id, here->id);
  EXPECT_EQ(JsonWriter::text(there->session), JsonWriter::text(here->session));
  const Timestamp later{kNoon.at + 5min};
  one.sharing.share_session({.digest = one.told.back().digest, .seen = later});
  one.share();
  wait_until([&] { return other.sessions.find(token)->session.seen_at == later; });
}

TEST_F(UsageSharingTest, BeginsNoSessionAgainThatWasSeenAfterItEnded) {
  const auto token = *one.sessions.begin({.user_id = "user_1"});
  const auto digest = one.told.back().digest;
  one.sharing.share_session(one.told.back());
  one.share();
  wait_until([&] { return other.sessions.find(token).has_value(); });
  ASSERT_TRUE(other.sessions.end(token));
  one.sharing.share_session({.digest = digest, .seen = Timestamp{kNoon.at + 5min}});
  one.ask(1);
  one.share();
  wait_until([&] { return other.has_heard_of(1); });
  EXPECT_FALSE(other.sessions.find(token));
}

TEST_F(UsageSharingTest, DoesNotTellOfASessionThatItOnlyHeardOf) {
  one.sharing.share_session(
      {"digest", Session{{.user_id = "user_1"}, kNoon, {kNoon.at + 1h}, kNoon}});
  one.share();
  other.share();
  one.share();
  EXPECT_TRUE(other.told.empty());
}

TEST_F(UsageSharingTest, LetsNoSessionBeginAgainThatItEndedInAnEarlierLife) {
  const auto token = *one.sessions.begin({.user_id = "user_1", .epoch = 3});
  one.sharing.share_session(one.told.back());
  one.share();
  wait_until([&] { return other.sessions.find(token).has_value(); });
  ASSERT_TRUE(other.sessions.end(token));
  other.sharing.share_session(other.told.back());
  other.share();
  UsageNode again(log, "other");  // reads from the beginning
  again.share();
  EXPECT_FALSE(again.sessions.find(token));
}

TEST_F(UsageSharingTest, LetsNoSessionBeginAgainWhoseEndItHadNoTimeToTell) {
  const auto token = *other.sessions.begin({.user_id = "user_1", .epoch = 3});
  other.sharing.share_session(other.told.back());
  other.share();
  ASSERT_TRUE(other.sessions.end(token));
  UsageNode again(log, "other");  // reads from the beginning
  again.share();
  EXPECT_FALSE(again.sessions.find(token));
}

TEST_F(UsageSharingTest, TellsAtItsEndWhatWasNotTold) {
  const auto token = *other.sessions.begin({.user_id = "user_1", .epoch = 3});
  other.sharing.share_session(other.told.back());
  other.sharing.finish(20s);
  wait_until([&] { return one.sessions.find(token).has_value(); });
}

TEST_F(UsageSharingTest, IsNotFreshBeforeItHasHeardItself) {
  EXPECT_FALSE(one.sharing.fresh());
  EXPECT_FALSE(one.sharing.is_current());
}

TEST_F(UsageSharingTest, IsNotFreshBeforeItHasReadWhatOthersHadReadOfKeys) {
  other.known = 7;
  other.share();
  const auto since = SleeplessClock::now();
  one.sharing.share(one.limiter.take_changes(kNoon));
  wait_until([&] { return one.sharing.is_shared(since); });
  EXPECT_FALSE(one.sharing.fresh());
  EXPECT_TRUE(one.sharing.is_current());
  one.known = 7;
  one.share();
}

TEST_F(UsageSharingTest, HasToldWhatItKnewBeforeItsNewestBatch) {
  const auto since = SleeplessClock::now();
  EXPECT_FALSE(one.sharing.is_shared(since));
  one.share();
  EXPECT_TRUE(one.sharing.is_shared(since));
  EXPECT_FALSE(one.sharing.is_shared(SleeplessClock::now()));
}

TEST_F(UsageSharingTest, BeginsWithWhatStillCountsWhenTheLogForgotWhatComesNext) {
  one.ask(50);
  one.share();
  UsageNode late(log, "late", std::make_unique<ForgottenReader>());
  late.share();
  wait_until([&] { return late.remaining() <= 50; });
}

TEST_F(UsageSharingTest, SendsABatchAgainThatTheLogForgotBeforeItWasReadBack) {
  std::promise<void> forgets;
  UsageNode late(log, "late", std::make_unique<ForgottenReader>(forgets.get_future()), [this] {
    return log.read({{0, 1}});
  });
  late.ask(1);
  late.sharing.share(late.limiter.take_changes(kNoon));
  forgets.set_value();
  wait_until([&] {
    late.sharing.share({});
    return late.sharing.fresh();
  });
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
