#include "api/usage/sessions.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

class MovableClock final : public Clock {
 public:
  Timestamp now() const override { return at; }
  Timestamp at = *Timestamp::parse("2026-03-01T12:00:00Z");
};

class SessionsInMemory final : public SessionStore {
 public:
  Status keep(const std::string& digest, const Session& session) override {
    during_write();
    if (broken) return Error{ErrorCode::kUnavailable, "The disk is full."};
    all.insert_or_assign(digest, session);
    return kDone;
  }
  Status forget(const std::string& digest) override {
    during_write();
    if (broken) return Error{ErrorCode::kUnavailable, "The disk is full."};
    all.erase(digest);
    return kDone;
  }
  Status read(const Each& each) override {
    for (const auto& [digest, session] : all) each(digest, session);
    return kDone;
  }

  std::map<std::string, Session> all;
  bool broken = false;
  std::function<void()> during_write = [] {};
};

class SessionsTest : public ::testing::Test {
 protected:
  std::string begin(const std::string& user, std::int64_t epoch = 0) {
    return *sessions.begin({.user_id = user, .epoch = epoch});
  }
  std::vector<std::string> users_of(const std::optional<std::string>& user) const {
    std::vector<std::string> users;
    for (const auto& found : sessions.list(user)) users.push_back(found.session.by.user_id);
    return users;
  }
  void wait(std::chrono::milliseconds time) { clock.at = Timestamp{clock.at.at + time}; }

  MovableClock clock;
  std::mt19937 random{1};
  IdSource ids{[this](std::uint8_t* bytes, std::size_t count) {
    std::generate(bytes, bytes + count, [this] { return static_cast<std::uint8_t>(random()); });
  }};
  KeyDigest digest{"secret"};
  SessionsInMemory store;
  std::vector<SessionChange> told;
  std::atomic<bool> erased = false;  // user_1
  Sessions sessions{store,
                    digest,
                    clock,
                    ids,
                    [this](const auto& change) { told.push_back(change); },
                    [this](const auto& user) { return erased && user == "user_1"; }};
};

TEST_F(SessionsTest, AreFoundWhileAnotherOneIsStored) {
  const auto token = begin("user_1");
  bool found = false;
  store.during_write = [&] {
    auto request = std::async(std::launch::async, [&] { return sessions.find(token).has_value(); });
    found = request.wait_for(10s) == std::future_status::ready && request.get();
  };
  begin("user_2");
  EXPECT_TRUE(found);
}

TEST_F(SessionsTest, AreFoundWhileTheStoreLearnsOfOthers) {
  const auto token = begin("user_1"), other = begin("user_2");
  const auto others = told.back().digest;
  int writes = 0;
  store.during_write = [&] {
    ++writes;
    auto request = std::async(std::launch::async, [&] { return sessions.find(token).has_value(); });
    EXPECT_TRUE(request.wait_for(10s) == std::future_status::ready && request.get());
  };
  wait(2 * Sessions::kSeenEvery);
  sessions.saw(other);
  EXPECT_TRUE(sessions.apply({.digest = others, .seen = clock.at}));
  wait(1s);
  EXPECT_TRUE(sessions.apply({.digest = others, .seen = clock.at}));
  EXPECT_TRUE(sessions.end(other));
  EXPECT_EQ(writes, 3) << "each but the first that was heard, which is known";
}

TEST_F(SessionsTest, OfAUserAreBoundedAndTheLeastUsedEndForNewOnes) {
  constexpr std::size_t kMost = 100;
  const auto others = begin("user_2");
  const auto used = begin("user_1");
  const auto unused = begin("user_1");
  for (std::size_t i = 2; i < kMost; ++i) {
    wait(1s);
    begin("user_1");
  }
  wait(2 * Sessions::kSeenEvery);
  sessions.saw(used);
  EXPECT_TRUE(sessions.find(unused));
  const auto newest = begin("user_1");
  EXPECT_FALSE(sessions.find(unused));
  EXPECT_TRUE(told.back().session == std::nullopt && told.back().seen == std::nullopt);
  for (const auto& token : {others, used, newest}) EXPECT_TRUE(sessions.find(token));
  for (int i = 0; i < 50; ++i) begin("user_1");
  EXPECT_EQ(sessions.list("user_1").size(), kMost);
  EXPECT_EQ(store.all.size(), kMost + 1);
}

TEST_F(SessionsTest, KeepWhoSignedInAndInWhichEpoch) {
  const auto token = begin("user_1", 7);
  const auto found = sessions.find(token);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->session.by.user_id, "user_1");
  EXPECT_EQ(found->session.by.epoch, 7);
  EXPECT_EQ(found->session.began_at, clock.now());
  EXPECT_EQ(found->session.ends_at.at, clock.now().at + Sessions::kLength);
  EXPECT_FALSE(sessions.find(found->id)) << "the id opens nothing";
  EXPECT_FALSE(sessions.find(token.substr(1) + "0"));
}

TEST_F(SessionsTest, EndAfterTwelveHours) {
  const auto token = begin("user_1");
  wait(Sessions::kLength - 1ms);
  EXPECT_TRUE(sessions.find(token));
  EXPECT_EQ(sessions.list({}).size(), 1U);
  wait(1ms);
  EXPECT_FALSE(sessions.find(token));
  EXPECT_TRUE(sessions.list({}).empty());
}

TEST_F(SessionsTest, WhoseTimeIsOverAreErasedWithThoseOfTheirUser) {
  begin("user_1");
  begin("user_2");
  wait(Sessions::kLength + 1h);
  begin("user_1");
  const auto of_first = [](const auto& found) { return found.session.by.user_id == "user_1"; };
  EXPECT_EQ(*sessions.end_all(of_first), 1U) << "how many were in force";
  ASSERT_EQ(store.all.size(), 1U);
  EXPECT_EQ(store.all.begin()->second.by.user_id, "user_2");
}

TEST_F(SessionsTest, WhoseTimeIsOverAreErasedSoon) {
  const auto token = begin("user_1");
  wait(Sessions::kLength - 1ms);
  sessions.drop_ended();
  EXPECT_TRUE(sessions.find(token));
  wait(10min);
  sessions.drop_ended();
  EXPECT_TRUE(store.all.empty());
}

TEST_F(SessionsTest, AreListedNewestFirst) {
  for (const auto* user : {"user_1", "user_2", "user_1", "user_3"}) begin(user), wait(1s);
  EXPECT_EQ(users_of({}), (std::vector<std::string>{"user_3", "user_1", "user_2", "user_1"}));
  EXPECT_EQ(users_of("user_1").size(), 2U);
  EXPECT_TRUE(users_of("user_4").empty());
}

TEST_F(SessionsTest, AreSeenOnceAMinute) {
  const auto token = begin("user_1");
  const auto seen_at = [&] { return sessions.find(token)->session.seen_at; };
  const auto began = clock.now();
  wait(59s);
  sessions.saw(token);
  EXPECT_EQ(seen_at(), began);
  EXPECT_EQ(told.size(), 1U);
  wait(1s);
  sessions.saw(token);
  EXPECT_EQ(seen_at(), clock.now());
  EXPECT_EQ(told.back().seen, clock.now());
  EXPECT_FALSE(told.back().session) << "a use that is heard late must not begin a session again";
  EXPECT_EQ(store.all.begin()->second.seen_at, clock.now());
}

TEST_F(SessionsTest, EndTogetherAndStayWhereTheStoreFails) {
  for (const auto* user : {"user_1", "user_2", "user_1"}) begin(user);
  const auto of_first = [](const Sessions::Found& found) {
    return found.session.by.user_id == "user_1";
  };
  store.broken = true;
  EXPECT_FALSE(sessions.end_all(of_first));
  EXPECT_EQ(sessions.list({}).size(), 3U);
  store.broken = false;
  EXPECT_EQ(*sessions.end_all(of_first), 2U);
  EXPECT_EQ(users_of({}), std::vector<std::string>{"user_2"});
  EXPECT_EQ(*sessions.end_all(of_first), 0U);
}

TEST_F(SessionsTest, OfAUserWhoIsErasedMeanwhileAreNotLeftBehind) {
  const auto of_all = [](const Sessions::Found&) { return true; };
  std::future<Result<std::size_t>> ended;
  store.during_write = [&] {
    if (ended.valid()) return;
    erased = true;
    ended = std::async(std::launch::async, [&] { return sessions.end_all(of_all); });
  };
  begin("user_1");  // it was checked before
  EXPECT_EQ(*ended.get(), 1U);
  EXPECT_TRUE(store.all.empty());
  EXPECT_EQ(sessions.begin({.user_id = "user_1"}).error().code, ErrorCode::kWrongPassword);
  const Session elsewhere{{.user_id = "user_1"}, clock.now(), {clock.now().at + 1h}, clock.now()};
  ASSERT_TRUE(sessions.apply({.digest = "digest", .session = elsewhere}));
  EXPECT_TRUE(sessions.list({}).empty());
  EXPECT_TRUE(store.all.empty());
}

TEST_F(SessionsTest, AreRestoredAsTheyWere) {
  const auto token = begin("user_1", 3);
  begin("user_2");
  Sessions again{store, digest, clock, ids, [](const auto&) {}};
  ASSERT_TRUE(again.restore());
  EXPECT_EQ(again.find(token)->session.by.epoch, 3);
  EXPECT_EQ(again.find(token)->id, sessions.find(token)->id);
  EXPECT_EQ(again.list({}).size(), 2U);
}

TEST_F(SessionsTest, AreNotBegunByAUseOfOneThatEnded) {
  const auto token = begin("user_1");
  const auto its = told.back().digest;
  ASSERT_TRUE(sessions.end(token));
  ASSERT_TRUE(sessions.apply({.digest = its, .seen = clock.now()}));
  EXPECT_FALSE(sessions.find(token));
  EXPECT_TRUE(store.all.empty());
}

}  // namespace
}  // namespace tilth
