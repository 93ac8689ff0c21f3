// Expensive work is shared fairly between owners, is limited, and ends when it should.

#include "api/platform/fair_executor.h"

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/no_threads.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

// What the work on this thread says that it has used.
thread_local std::chrono::nanoseconds cpu_used{0};

void use(std::chrono::milliseconds cpu) { cpu_used += cpu; }

class FairExecutorTest : public ::testing::Test {
 protected:
  using Work = FairExecutor::Work;
  using Limits = FairExecutor::Limits;

  void open(Limits limits) {
    executor = std::make_unique<FairExecutor>(
        limits, FairExecutor::Environment{
                    .now = [this] { return FairExecutor::Steady::time_point() + now.load(); },
                    .cpu = [] { return cpu_used; }});
  }

  Status post(const std::string& owner, std::function<void(WorkToken&)> run) {
    return executor->post({.owner = owner, .kind = WorkKind::kQuery, .run = std::move(run)});
  }

  // Work that only says that it ran.
  std::function<void(WorkToken&)> says(const std::string& name) {
    return [this, name](WorkToken& token) { say(token.go_on() ? name : name + " too late"); };
  }
  void say(const std::string& what) {
    const std::lock_guard lock(mutex);
    said.append(said.empty() ? "" : ", ").append(what);
  }
  std::string all_said() {
    const std::lock_guard lock(mutex);
    return said;
  }

  // Work that holds its slot until released; returns once it has begun.
  class Holding {
   public:
    Holding(FairExecutorTest& test, const std::string& owner, std::chrono::milliseconds cpu = 0ms) {
      EXPECT_TRUE(test.post(owner, [this, cpu](WorkToken&) {
        use(cpu);
        begun_.count_down();
        released_.wait();
      }));
      begun_.wait();
    }
    void release() { released_.count_down(); }

   private:
    std::latch begun_{1}, released_{1};
  };

  // Waits until all work that was posted before has ended.
  void wait_for_all() {
    const auto under_way = [this] {
      std::uint64_t all = 0;
      for (const auto& kind : executor->counts()) all += kind.waiting + kind.running;
      return all;
    };
    while (under_way() > 0) std::this_thread::yield();
  }
  // Two pieces of work of one owner; the one that begins first has used a slice when the other can
  // begin.
  void run_short_work_after_long() {
    std::latch begun(1), posted(1);
    ASSERT_TRUE(post("aisha", [&](WorkToken& token) {
      begun.count_down();
      posted.wait();
      use(10ms);
      EXPECT_TRUE(token.go_on());
      say("long");
    }));
    begun.wait();
    ASSERT_TRUE(post("aisha", says("short")));
    posted.count_down();
    wait_for_all();
  }
  FairExecutor::Counts counts() const {
    return executor->counts().at(static_cast<std::size_t>(WorkKind::kQuery));
  }

  std::atomic<std::chrono::nanoseconds> now = std::chrono::nanoseconds(1h);
  std::mutex mutex;
  std::string said;
  std::unique_ptr<FairExecutor> executor;
};

TEST_F(FairExecutorTest, RunsWorkOnAThreadOfItsOwn) {
  open({});
  std::promise<std::thread::id> ran;
  ASSERT_TRUE(post("aisha", [&](WorkToken&) { ran.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST_F(FairExecutorTest, TheOwnerWhoUsedLessGoesFirst) {
  open({.slots = 1});
  Holding first(*this, "aisha", 50ms);
  for (const auto* name : {"aisha 2", "aisha 3"}) ASSERT_TRUE(post("aisha", says(name)));
  for (const auto* name : {"omar 1", "omar 2"}) ASSERT_TRUE(post("omar", says(name)));
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar 1, omar 2, aisha 2, aisha 3");
}

TEST_F(FairExecutorTest, OwnersWhoUsedTheSameTakeTurns) {
  open({.slots = 1});
  Holding first(*this, "zainab");
  for (const auto* owner : {"aisha", "aisha", "omar", "omar"}) {
    ASSERT_TRUE(post(owner, says(owner)));
  }
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "aisha, omar, aisha, omar");
}

TEST_F(FairExecutorTest, IdlenessEarnsNothing) {
  open({.slots = 1});
  Holding first(*this, "aisha", 1'000ms);
  std::latch begun(1), posted(1);
  ASSERT_TRUE(post("aisha", [&](WorkToken&) {
    begun.count_down();
    posted.wait();
    use(5ms);
  }));
  first.release();
  begun.wait();
  ASSERT_TRUE(post("aisha", says("aisha 3")));
  ASSERT_TRUE(post("omar", [this](WorkToken&) {  // begins at 1,000 ms, not at 0
    say("omar 1");
    use(10ms);
  }));
  ASSERT_TRUE(post("omar", says("omar 2")));
  posted.count_down();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar 1, aisha 3, omar 2");
}

TEST_F(FairExecutorTest, AnOwnerDoesNotTakeAllSlots) {
  open({.slots = 2, .slots_per_owner = 1});
  Holding first(*this, "aisha");
  ASSERT_TRUE(post("aisha", says("aisha 2")));
  std::latch ran(1);
  ASSERT_TRUE(post("omar", [&](WorkToken&) {
    say("omar 1");
    ran.count_down();
  }));
  ran.wait();
  EXPECT_EQ(all_said(), "omar 1");
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar 1, aisha 2");
}

TEST_F(FairExecutorTest, WorkThatUsedASliceGivesWayToAnotherOwner) {
  open({.slots = 1});
  std::latch begun(1), posted(1);
  ASSERT_TRUE(post("aisha", [&](WorkToken& token) {
    begun.count_down();
    posted.wait();
    use(9ms);
    EXPECT_TRUE(token.go_on());
    say("aisha's first slice");
    use(1ms);
    EXPECT_TRUE(token.go_on());
    say("aisha's second slice");
  }));
  begun.wait();
  ASSERT_TRUE(post("omar", says("omar")));
  posted.count_down();
  wait_for_all();
  EXPECT_EQ(all_said(), "aisha's first slice, omar, aisha's second slice");
}

TEST_F(FairExecutorTest, WorkKeepsItsSlotWhileNobodyElseUsedLess) {
  open({.slots = 1});
  Holding first(*this, "omar", 100ms);  // omar begins at 0, as aisha does below
  ASSERT_TRUE(post("aisha", [&](WorkToken& token) {
    use(20ms);
    EXPECT_TRUE(token.go_on());
    say("aisha");
  }));
  ASSERT_TRUE(post("omar", says("omar 2")));
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "aisha, omar 2");
}

TEST_F(FairExecutorTest, TheWorkOfOneOwnerTakesTurns) {
  open({.slots = 1, .begun_per_owner = 2});
  run_short_work_after_long();
  EXPECT_EQ(all_said(), "short, long");
}

TEST_F(FairExecutorTest, NoMoreThanTheLimitHasBegun) {
  open({.slots = 1, .begun_per_owner = 1});
  run_short_work_after_long();
  EXPECT_EQ(all_said(), "long, short");
}

TEST_F(FairExecutorTest, RefusesWhatIsTooMuch) {
  open({.slots = 1, .waiting = 3, .waiting_per_owner = 2});
  Holding first(*this, "aisha");
  EXPECT_TRUE(post("aisha", says("aisha")));
  EXPECT_TRUE(post("aisha", says("aisha")));
  const auto third = post("aisha", says("aisha"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(third.error().message, "Too many of your expensive requests are under way.");
  EXPECT_TRUE(post("omar", says("omar")));
  const auto fourth = post("zainab", says("zainab"));
  ASSERT_FALSE(fourth);
  EXPECT_EQ(fourth.error().message, "Too many expensive requests are under way.");
  EXPECT_TRUE(executor->post({.owner = "zainab", .run = says("zainab"), .continues = true}));
  EXPECT_EQ(counts().refused, 2);
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar, zainab, aisha, aisha");
}

TEST_F(FairExecutorTest, WorkEndsAtItsDeadline) {
  open({.slots = 1});
  Holding first(*this, "aisha");
  ASSERT_TRUE(post("omar", says("omar")));
  std::string error;
  ASSERT_TRUE(executor->post({.owner = "aisha",
                              .run =
                                  [&](WorkToken& token) {
                                    EXPECT_TRUE(token.go_on());
                                    now = now.load() + 1ms;
                                    EXPECT_FALSE(token.go_on());
                                    error = token.error().message;
                                  },
                              .timeout = 31s}));
  now = now.load() + 31s;
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar too late");
  EXPECT_EQ(error, "This took too long, together with other expensive requests.");
  EXPECT_EQ(counts().ended_early.at(static_cast<std::size_t>(EarlyEnd::kTimeout)), 2);
}

TEST_F(FairExecutorTest, WorkEndsWhenItsClientIsGone) {
  open({.slots = 1});
  Holding first(*this, "aisha");
  std::atomic<bool> gone = false;
  ASSERT_TRUE(executor->post(
      {.owner = "omar", .run = says("omar"), .abandoned = [&] { return gone.load(); }}));
  gone = true;
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar too late");
  EXPECT_EQ(counts().ended_early.at(static_cast<std::size_t>(EarlyEnd::kAbandoned)), 1);
}

TEST_F(FairExecutorTest, OnceClosedItEndsWhatWaitsAndLaterWhatRuns) {
  open({.slots = 1});
  std::latch begun(1), closed(1);
  std::string error;
  ASSERT_TRUE(post("aisha", [&](WorkToken& token) {
    begun.count_down();
    closed.wait();
    EXPECT_TRUE(token.go_on());
    now = now.load() + 1'001ms;
    EXPECT_FALSE(token.go_on());
    error = token.error().message;
  }));
  begun.wait();
  ASSERT_TRUE(post("omar", says("omar")));
  executor->close(1'000ms);
  EXPECT_EQ(all_said(), "omar too late");
  EXPECT_FALSE(post("omar", says("omar")));
  EXPECT_FALSE(executor->post({.owner = "omar", .run = says("omar"), .continues = true}));
  closed.count_down();
  wait_for_all();
  EXPECT_EQ(error, "The service is stopping.");
}

TEST_F(FairExecutorTest, StoppingItEndsWorkThatGaveWay) {
  open({.slots = 1});
  const auto goes_on = [&](WorkToken& token) {
    while (token.go_on()) {
      use(10ms);
      std::this_thread::yield();
    }
    say("ended");
  };
  for (const auto* owner : {"aisha", "omar", "zainab"}) ASSERT_TRUE(post(owner, goes_on));
  while (counts().running < 3) std::this_thread::yield();
  executor->stop();
  EXPECT_EQ(all_said(), "ended, ended, ended");
}

TEST_F(FairExecutorTest, CountsTheCpuTimeOfEachKind) {
  open({.slots = 1});
  ASSERT_TRUE(post("aisha", [](WorkToken&) { use(7ms); }));
  ASSERT_TRUE(executor->post(
      {.owner = "aisha", .kind = WorkKind::kBody, .run = [](WorkToken&) { use(3ms); }}));
  wait_for_all();
  EXPECT_EQ(counts().cpu, 7ms);
  EXPECT_EQ(executor->counts().at(static_cast<std::size_t>(WorkKind::kBody)).cpu, 3ms);
}

TEST_F(FairExecutorTest, WorkWaitsForAThreadWhereNoneCanBeHad) {
  open({.slots = 2});
  Holding first(*this, "aisha");
  {
    const testing::NoThreads none;
    ASSERT_TRUE(post("omar", says("omar")));
  }
  EXPECT_EQ(counts().waiting, 1);
  first.release();
  wait_for_all();
  EXPECT_EQ(all_said(), "omar");
}

TEST_F(FairExecutorTest, TheCpuClockOfAThreadRises) {
  const auto before = FairExecutor::thread_cpu_time();
  while (FairExecutor::thread_cpu_time() == before) {
  }
  EXPECT_GT(FairExecutor::thread_cpu_time(), before);
}

}  // namespace
}  // namespace tilth
