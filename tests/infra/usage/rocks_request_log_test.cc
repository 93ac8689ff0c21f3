#include "infra/usage/rocks_request_log.h"

#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/bytes_in_files.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/faulty_disk.h"

namespace tilth {
namespace {

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

LoggedRequest request(const std::string& path, Timestamp time = kNoon) {
  return {time, "GET", path, 404, 12, "id", "key_1", "::1", true};
}

class RocksRequestLogTest : public ::testing::Test {
 protected:
  void SetUp() override { restart(); }

  void restart() {
    log_.reset();
    auto opened = RocksRequestLog::open(
        directory_.path() / "requests", memory_,
        [this](const std::string& owner, const LoggedRequest&) { ++noted_[owner]; },
        [this](const std::string& owner) {
          if (while_storing_) while_storing_();
          return erased_ == owner;
        },
        env_.get());
    ASSERT_TRUE(opened) << opened.error().message;
    log_ = std::move(*opened);
  }

  std::vector<std::string> paths(const std::string& owner, const RequestLog::Filter& filter = {},
                                 Timestamp now = kNoon) {
    std::vector<std::string> all;
    const auto found = log_->find(owner, filter, now);
    EXPECT_TRUE(found);
    for (const auto& each : *found) all.push_back(each.path);
    return all;
  }

  std::ptrdiff_t files() const {
    const std::filesystem::directory_iterator all(directory_.path() / "requests");
    return std::distance(begin(all), end(all));
  }

  testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  const std::shared_ptr<testing::FaultyDisk> disk_ = std::make_shared<testing::FaultyDisk>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  std::map<std::string, int> noted_;
  std::string erased_;
  std::function<void()> while_storing_;
  std::unique_ptr<RocksRequestLog> log_;
};

using Paths = std::vector<std::string>;

TEST_F(RocksRequestLogTest, LeavesNothingOfAnOwnerWhoIsForgotten) {
  log_->note("user_1", request("/farms/zainab"));
  ASSERT_TRUE(log_->keep(kNoon));
  log_->note("user_1", request("/farms/zainab"));
  log_->note("user_2", request("/farms/omar"));
  ASSERT_TRUE(log_->forget("user_1"));
  EXPECT_EQ(paths("user_1"), (std::vector<std::string>{}));
  EXPECT_EQ(paths("user_2"), (std::vector<std::string>{"/farms/omar"}));
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(testing::count_in_files(directory_.path(), "zainab"), 0U);
}

TEST_F(RocksRequestLogTest, ShowsAnOwnersRequestsNewestFirstAndAfterARestart) {
  log_->note("ada", request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  log_->note("ada", request("/2"));
  log_->note("ad", request("/3"));
  EXPECT_EQ(paths("ada"), (Paths{"/2", "/1"}));
  EXPECT_EQ(paths("ad"), (Paths{"/3"}));
  EXPECT_EQ(paths("a"), Paths{});
  ASSERT_TRUE(log_->keep(kNoon));
  restart();
  log_->note("ada", request("/4"));
  EXPECT_EQ(paths("ada"), (Paths{"/4", "/2", "/1"}));
}

TEST_F(RocksRequestLogTest, KeepsEveryMember) {
  log_->note("ada", request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  const auto all = log_->find("ada", {}, kNoon);
  ASSERT_TRUE(all);
  const auto& found = all->at(0);
  EXPECT_EQ(found.time, kNoon);
  EXPECT_EQ(found.method, "GET");
  EXPECT_EQ(found.status, 404);
  EXPECT_EQ(found.duration_ms, 12);
  EXPECT_EQ(found.request_id, "id");
  EXPECT_EQ(found.key_id, "key_1");
  EXPECT_EQ(found.address, "::1");
  EXPECT_TRUE(found.replayed);
  EXPECT_EQ(found.traceparent, std::nullopt);
}

TEST_F(RocksRequestLogTest, KeepsTheTracesOfThoseThatHaveOne) {
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  auto traced = request("/1");
  traced.traceparent = traceparent;
  log_->note("ada", traced);
  traced.replayed = false;
  log_->note("ada", traced);
  log_->note("ada", request("/3"));
  ASSERT_TRUE(log_->keep(kNoon));
  const auto all = log_->find("ada", {}, kNoon);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->at(0).traceparent, std::nullopt);
  EXPECT_EQ(all->at(1).traceparent, traceparent);
  EXPECT_EQ(all->at(2).traceparent, traceparent);
  EXPECT_TRUE(all->at(0).replayed);
  EXPECT_FALSE(all->at(1).replayed);
  EXPECT_TRUE(all->at(2).replayed);
}

TEST_F(RocksRequestLogTest, StoresNoRequestThatEndsAfterItsOwnerIsErased) {
  log_->note("ada", request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  erased_ = "ada";
  ASSERT_TRUE(log_->forget("ada"));
  log_->note("ada", request("/2"));
  log_->note("bob", request("/3"));
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(paths("ada"), Paths{});
  EXPECT_EQ(paths("bob"), Paths{"/3"});
}

TEST_F(RocksRequestLogTest, KeepsTheLastThousand) {
  for (int i = 0; i < 2'500; ++i) {
    log_->note("ada", request("/" + std::to_string(i)));
    if (i % 700 == 0) {
      ASSERT_TRUE(log_->keep(kNoon));
    }
  }
  const auto all = paths("ada");
  ASSERT_EQ(all.size(), 1'000U);
  EXPECT_EQ(all.front(), "/2499");
  EXPECT_EQ(all.back(), "/1500");
}

TEST_F(RocksRequestLogTest, ForgetsWhatIsOlderThanAWeek) {
  const Timestamp later{kNoon.at + RequestLog::kKept + std::chrono::milliseconds(1)};
  log_->note("ada", request("/old"));
  log_->note("bob", request("/old"));
  log_->note("ada", request("/new", later));
  EXPECT_EQ(paths("ada", {}, later), (Paths{"/new"}));
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(paths("ada", {}, later), (Paths{"/new"}));
  EXPECT_EQ(paths("bob", {}, kNoon), (Paths{"/old"}));
  ASSERT_TRUE(log_->keep(later));
  EXPECT_EQ(paths("bob", {}, kNoon), Paths{}) << "it is erased, too";
}

TEST_F(RocksRequestLogTest, WritesToAFullDiskAgainOnceThereIsSpace) {
  for (const auto* before : {"/1", "/2"}) {  // when nothing was written before, and when it was
    disk_->fault = testing::FaultyDisk::Fault::kFull;
    log_->note("ada", request(before));
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(log_->keep(kNoon));
    EXPECT_EQ(paths("ada").front(), before);
    disk_->fault = testing::FaultyDisk::Fault::kNone;
    EXPECT_LT(files(), 15) << "each attempt leaves files behind";
    ASSERT_TRUE(log_->keep(kNoon));
  }
  restart();
  EXPECT_EQ(paths("ada"), (Paths{"/2", "/1"}));
}

// What a crash leaves is what is on disk.
TEST_F(RocksRequestLogTest, StoresEachTenthTimeAndOnceMuchHasCome) {
  const auto stored = [&] {
    const testing::TemporaryDirectory copy;
    std::filesystem::copy(directory_.path() / "requests", copy.path() / "requests");
    std::filesystem::remove(copy.path() / "requests" / "LOCK");
    auto opened = RocksRequestLog::open(
        copy.path() / "requests", memory_, [](const auto&...) {},
        [](const auto&) { return false; });
    EXPECT_TRUE(opened);
    return (*opened)->find("ada", {}, kNoon)->size();
  };
  for (int i = 0; i < 9; ++i) {
    log_->note("ada", request("/1"));
    ASSERT_TRUE(log_->keep_now_and_then(kNoon));
  }
  EXPECT_EQ(paths("ada").size(), 9U);
  EXPECT_EQ(stored(), 0U);
  disk_->fault = testing::FaultyDisk::Fault::kFull;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(log_->keep_now_and_then(kNoon));
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  ASSERT_TRUE(log_->keep_now_and_then(kNoon));
  EXPECT_EQ(stored(), 9U);
  for (int i = 0; i < 20'001; ++i) log_->note(std::to_string(i % 100), request("/2"));
  log_->note("ada", request("/3"));
  ASSERT_TRUE(log_->keep_now_and_then(kNoon));
  EXPECT_EQ(stored(), 10U);
}

TEST_F(RocksRequestLogTest, DropsWhatNeitherDiskNorMemoryHold) {
  for (int i = 0; i < 100'100; ++i) log_->note(std::to_string(i % 1'000), request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(paths("0").size(), 100U);
  log_->note("0", request("/2"));
  EXPECT_EQ(paths("0").size(), 101U);
}

TEST_F(RocksRequestLogTest, TellsOfEachRequestOnceAlsoIfItCannotBeStored) {
  disk_->fault = testing::FaultyDisk::Fault::kFull;
  for (int i = 0; i < 1'200; ++i) {
    log_->note("ada", request("/1"));
    if (i % 500 == 0) static_cast<void>(log_->keep(kNoon));
  }
  EXPECT_EQ(paths("ada").size(), 1'000U);
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(noted_["ada"], 1'200);
}

TEST_F(RocksRequestLogTest, LosesNothingWhileManyThreadsNote) {
  constexpr int kThreads = 4, kEach = 200;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < kEach; ++j) log_->note("ada", request("/" + std::to_string(i)));
      });
    }
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(log_->keep(kNoon));
  }
  EXPECT_EQ(paths("ada").size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_EQ(paths("ada", {.path = "/0"}).size(), static_cast<std::size_t>(kEach));
}

TEST_F(RocksRequestLogTest, IsReadWhileItIsStored) {
  log_->note("ada", request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  log_->note("ada", request("/2"));
  Paths seen;
  while_storing_ = [&] {
    log_->note("ada", request("/3"));
    std::thread([&] { seen = paths("ada"); }).join();
  };
  ASSERT_TRUE(log_->keep(kNoon));
  EXPECT_EQ(seen, (Paths{"/3", "/2", "/1"}));
  while_storing_ = {};
  EXPECT_EQ(paths("ada"), (Paths{"/3", "/2", "/1"}));
}

TEST_F(RocksRequestLogTest, ShowsEachOnceAndInOrderWhileItIsStored) {
  constexpr std::size_t kAll = 900;
  std::jthread noting([&] {
    for (std::size_t i = 0; i < kAll; ++i) log_->note("ada", request(std::to_string(i)));
  });
  std::jthread storing([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) EXPECT_TRUE(log_->keep(kNoon));
  });
  std::size_t before = 0;
  while (before < kAll) {
    const auto seen = paths("ada");
    ASSERT_GE(seen.size(), before);
    before = seen.size();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], std::to_string(seen.size() - 1 - i)) << "of " << seen.size();
    }
  }
}

TEST_F(RocksRequestLogTest, Filters) {
  log_->note("ada", request("/farms"));
  auto other = request("/tasks");
  other.key_id = "key_2";
  other.status = 200;
  log_->note("ada", other);
  EXPECT_EQ(paths("ada", {.key_id = "key_2"}), (Paths{"/tasks"}));
  EXPECT_EQ(paths("ada", {.status_class = 4}), (Paths{"/farms"}));
  EXPECT_EQ(paths("ada", {.path = "/fa"}), (Paths{"/farms"}));
  EXPECT_EQ(paths("ada", {.status_class = 5}), Paths{});
}

}  // namespace
}  // namespace tilth
