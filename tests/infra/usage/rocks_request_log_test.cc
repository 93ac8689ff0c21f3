#include "infra/usage/rocks_request_log.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

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
    auto opened = RocksRequestLog::open(directory_.path() / "requests", memory_);
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

  testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  std::unique_ptr<RocksRequestLog> log_;
};

using Paths = std::vector<std::string>;

TEST_F(RocksRequestLogTest, ShowsAnOwnersRequestsNewestFirstAndAfterARestart) {
  log_->note("ada", request("/1"));
  ASSERT_TRUE(log_->keep(kNoon));
  log_->note("ada", request("/2"));
  log_->note("ad", request("/3"));
  EXPECT_EQ(paths("ada"), (Paths{"/2", "/1"}));
  EXPECT_EQ(paths("ad"), (Paths{"/3"}));
  EXPECT_EQ(paths("a"), Paths{});
  restart();
  log_->note("ada", request("/4"));
  EXPECT_EQ(paths("ada"), (Paths{"/4", "/2", "/1"}));
}

TEST_F(RocksRequestLogTest, KeepsEveryMember) {
  log_->note("ada", request("/1"));
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
  ASSERT_TRUE(log_->keep(later));
  EXPECT_EQ(paths("bob", {}, kNoon), Paths{}) << "it is erased, too";
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
