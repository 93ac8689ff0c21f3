#include "api/usage/login_throttle.h"

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "infra/usage/login_throttle_store.h"
#include "infra/usage/usage_store.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00.123Z").value();
Timestamp after(std::chrono::milliseconds span) { return {kNoon.at + span}; }

const std::string kAda = "email ada@example.org";

class GuessesTest : public ::testing::Test {
 protected:
  void SetUp() override { restart(kNoon); }

  // As when the service starts; what ran before has ended.
  void restart(Timestamp now) {
    login_throttle_.reset();
    store_.reset();
    usage_.reset();
    auto opened = UsageStore::open(directory_.path() / "usage", memory_);
    ASSERT_TRUE(opened) << opened.error().message;
    usage_ = std::move(*opened);
    store_ = std::make_unique<RocksLoginThrottleStore>(*usage_);
    login_throttle_ = std::make_unique<LoginThrottle>(*store_, digest_);
    ASSERT_TRUE(login_throttle_->restore(now));
  }

  void fail(int times, Timestamp at) {
    for (int i = 0; i < times; ++i) login_throttle_->failed(kAda, at);
  }

  std::size_t kept() {
    std::size_t count = 0;
    const auto read = store_->read([&](const std::string&, const auto&) { ++count; });
    EXPECT_TRUE(read);
    return count;
  }

  const testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  KeyDigest digest_{"the node's secret"};
  std::unique_ptr<UsageStore> usage_;
  std::unique_ptr<RocksLoginThrottleStore> store_;
  std::unique_ptr<LoginThrottle> login_throttle_;
};

TEST_F(GuessesTest, ARestartKeepsEachFailureForAsLongAsItCounts) {
  fail(4, kNoon);
  fail(1, after(1ms));
  restart(after(1min));
  EXPECT_EQ(login_throttle_->closed_for(kAda, after(1min)), std::nullopt);
  fail(5, after(1min));
  restart(after(2min));
  EXPECT_EQ(login_throttle_->closed_for(kAda, after(2min)), 13 * 60);
  EXPECT_EQ(login_throttle_->closed_for("email bob@example.org", after(2min)), std::nullopt);
  EXPECT_EQ(login_throttle_->closed_for(kAda, after(15min)), std::nullopt);
}

TEST_F(GuessesTest, WhatHasLeftTheWindowIsForgottenAtARestart) {
  fail(10, kNoon);
  EXPECT_EQ(kept(), 1U);
  restart(after(15min));
  EXPECT_EQ(login_throttle_->closed_for(kAda, after(15min)), std::nullopt);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(GuessesTest, WhatAClockFarAheadHasCountedIsForgotten) {
  fail(10, after(24h));
  restart(kNoon);
  EXPECT_EQ(login_throttle_->closed_for(kAda, kNoon), std::nullopt);
  EXPECT_EQ(kept(), 0U);
}

class FullStore final : public LoginThrottleStore {
 public:
  Status keep(const std::string&, const Failures&) override { return kFull; }
  Status forget(const std::string&) override { return kFull; }
  Status read(const Each&) override { return kDone; }

 private:
  const Error kFull{ErrorCode::kUnavailable, "The disk is full."};
};

TEST(LoginThrottle, CountWhatCannotBeKept) {
  FullStore full;
  const KeyDigest digest("the node's secret");
  LoginThrottle login_throttle(full, digest);
  for (int i = 0; i < 10; ++i) login_throttle.failed(kAda, kNoon);
  EXPECT_EQ(login_throttle.closed_for(kAda, kNoon), 15 * 60);
}

// While it is written to, a thread of a server asks.
class SlowStore final : public LoginThrottleStore {
 public:
  Status keep(const std::string&, const Failures&) override { return during_write(), kDone; }
  Status forget(const std::string&) override { return during_write(), kDone; }
  Status read(const Each&) override { return kDone; }

  std::function<void()> during_write = [] {};
};

TEST(LoginThrottle, AnswersWhileAFailureIsStored) {
  SlowStore slow;
  const KeyDigest digest("the node's secret");
  LoginThrottle login_throttle(slow, digest);
  int answered = 0;
  slow.during_write = [&] {
    auto answer =
        std::async(std::launch::async, [&] { return login_throttle.closed_for(kAda, kNoon); });
    if (answer.wait_for(10s) == std::future_status::ready) ++answered;
  };
  login_throttle.failed(kAda, kNoon);
  EXPECT_EQ(answered, 1);
  ASSERT_TRUE(login_throttle.restore(after(16min)));  // forgets it
  EXPECT_EQ(answered, 2);
}

}  // namespace
}  // namespace tilth
