#include "api/keys/access_lease.h"

#include <atomic>
#include <memory>

#include "infra/embedded/memory_event_log.h"
#include "tests/fixtures/flaky_log.h"
#include "tests/fixtures/node.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

class AccessLeaseTest : public ::testing::Test {
 protected:
  // Runs the node's loop until `done()`.
  template <class Done>
  void until(Done done) {
    turn_until(done, {&node});
  }

  FlakyLog log;
  Node node{log, 'a'};
};

TEST_F(AccessLeaseTest, HoldsOnceTheNodeHasReadUpToTheEnd) {
  AccessLease lease(log, node.loop());
  until([&] { return lease.holds(); });
}

TEST_F(AccessLeaseTest, DoesNotHoldBeforeTheNodeHasRead) {
  log.append({std::string("user_1"), {.id = "a"}, "{}"}, [](const auto&) {});
  log.append({std::string("access"), {.id = "b"}, "{}"}, [](const auto&) {});
  const AccessLease lease(log, node.loop());
  EXPECT_FALSE(lease.holds());
}

TEST_F(AccessLeaseTest, EndsWhenTheLogDoesNotAnswerAnyMore) {
  AccessLease lease(log, node.loop());
  until([&] { return lease.holds(); });
  log.knows_its_end = false;
  const auto since = SleeplessClock::now();
  until([&] { return !lease.holds(); });
  EXPECT_LE(SleeplessClock::now() - since, AccessLease::kLength + 1s);
}

TEST_F(AccessLeaseTest, DoesNotHoldWhileTheOtherConditionDoesNot) {
  std::atomic<bool> other = false;
  AccessLease lease(log, node.loop(), {.is_current = [&] { return other.load(); }});
  std::atomic<bool> known = false;
  lease.when_present([&](bool is) { known = is; });
  until([&] { return known.load(); });
  EXPECT_FALSE(lease.holds());
  other = true;
  EXPECT_TRUE(lease.holds());
}

TEST_F(AccessLeaseTest, WaitsForTheOtherConditionWithAnyoneWhoAsksWhenItHolds) {
  std::atomic<bool> other = false;
  AccessLease lease(log, node.loop(), {.is_current = [&] { return other.load(); }});
  std::atomic<bool> known = false, told = false;
  lease.when_it_holds([&](bool holds) { told = holds; });
  lease.when_present([&](bool is) { known = is; });
  until([&] { return known.load(); });
  EXPECT_FALSE(told);
  other = true;
  until([&] { return told.load(); });
  EXPECT_TRUE(lease.holds());
}

TEST_F(AccessLeaseTest, TellsAnyoneWhoWaitsForTheOtherConditionInTheEndThatItDoesNotHold) {
  AccessLease lease(log, node.loop(), {.is_current = [] { return false; }});
  std::atomic<int> told = 0;
  lease.when_it_holds([&](bool holds) { told = holds ? 1 : -1; });
  until([&] { return told != 0; });
  EXPECT_EQ(told, -1);
}

TEST_F(AccessLeaseTest, TellsThatAllKnowNoEarlierThanALeaseLater) {
  AccessLease lease(log, node.loop());
  const auto since = SleeplessClock::now();
  std::atomic<bool> told = false;
  lease.when_all_know([&](bool know) { told = know; });
  until([&] { return told.load(); });
  EXPECT_GE(SleeplessClock::now() - since, AccessLease::kLength);
}

TEST_F(AccessLeaseTest, TellsThatAllKnowNoEarlierThanALeaseAfterTheOthersWereTold) {
  std::atomic<bool> told = false, know = false;
  std::atomic<SleeplessClock::time_point> asked_for;
  AccessLease lease(log, node.loop(), {.know = [&](auto since) {
                      asked_for = since;
                      return told.load();
                    }});
  const auto began = SleeplessClock::now();
  lease.when_all_know([&](bool all) { know = all; });
  until([&] { return asked_for.load() >= began; });
  const auto since = SleeplessClock::now();
  EXPECT_LE(asked_for.load(), since);
  told = true;
  until([&] { return know.load(); });
  EXPECT_GE(SleeplessClock::now() - since, AccessLease::kLength);
}

TEST_F(AccessLeaseTest, SaysInTheEndThatTheOthersCannotBeTold) {
  AccessLease lease(log, node.loop(), {.know = [](auto) { return false; }});
  std::atomic<int> told = 0;
  lease.when_all_know([&](bool know) { told = know ? 1 : -1; });
  until([&] { return told != 0; });
  EXPECT_EQ(told, -1);
}

TEST_F(AccessLeaseTest, TellsThoseWhoWaitThatItIsGone) {
  auto lease = std::make_unique<AccessLease>(log, node.loop());
  std::atomic<int> told = 0;
  lease->when_all_know([&](bool know) { told = know ? 1 : -1; });
  lease.reset();
  EXPECT_EQ(told, -1);
}

}  // namespace
}  // namespace tilth::testing
