// The embedded log, for readers that want some of its streams.

#include <future>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "projections/fold/projector.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"
#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// One reader wants user_1.
class FollowedStreams : public LogInDirectory {
 protected:
  void SetUp() override { begin(); }

  void begin() {
    reader.reset();
    part.reset();
    ASSERT_EQ(open(), "open");
    part = log->only([](std::string_view stream) { return stream == "user_1"; });
    read_from(0);
  }

  void read_from(std::int64_t offset) {
    auto begun = part->read({{0, offset}});
    ASSERT_TRUE(begun);
    reader = std::move(*begun);
  }

  // Appends a record of each of these streams.
  void happened(const std::string& streams) {
    for (const char each : streams) {
      const std::string stream = std::string("user_") + each;
      ASSERT_EQ(append(stream, versions[stream]++, "id"), "durable");
    }
  }

  // A page, each record by its stream and offset: "1@0 2@3 ".
  std::string next(std::size_t limit = 100, std::chrono::milliseconds timeout = 0ms) {
    const auto page = reader->next(limit, timeout);
    if (!page) return page.error().message;
    std::string found;
    for (const auto& [position, record] : *page) {
      found += record->stream.substr(5) + "@" + std::to_string(position.offset) + " ";
    }
    return found;
  }

  std::map<std::string, std::uint64_t> versions;
  std::unique_ptr<EventLog> part;
  std::unique_ptr<LogReader> reader;
};

TEST_F(FollowedStreams, AreReadWithoutTheOthersAndUpToTheLastRecordOfAll) {
  EXPECT_EQ(next(), "");
  happened("1222122");
  EXPECT_EQ(next(), "1@0 1@4 2@6 ");
  EXPECT_EQ(next(), "");
  happened("222");
  EXPECT_EQ(next(), "2@9 ");
  happened("1");
  EXPECT_EQ(next(), "1@10 ");
}

TEST_F(FollowedStreams, AreReadInPages) {
  happened("12212212");
  EXPECT_EQ(next(2), "1@0 1@3 ");
  EXPECT_EQ(next(2), "1@6 2@7 ");
  EXPECT_EQ(next(0), "");
  happened("11");
  EXPECT_EQ(next(1), "1@8 ");
  read_from(5);
  EXPECT_EQ(next(1), "1@6 ");
  EXPECT_EQ(next(1), "1@8 ");
}

TEST_F(FollowedStreams, ComeWithTheOthersFromDisk) {
  options.tail_bytes = 0;
  begin();
  happened("1221");
  EXPECT_EQ(next(), "1@0 2@1 2@2 1@3 ");
}

TEST_F(FollowedStreams, EndAWait) {
  auto waits = std::async(std::launch::async, [&] { return next(1, 10s); });
  happened("1");
  EXPECT_EQ(waits.get(), "1@0 ");
}

// The caller learns how far it has read although nothing comes that it wants.
TEST_F(FollowedStreams, DoNotKeepAWaitFromEndingBehindOthers) {
  for (std::int64_t offset = 0; offset < 3; ++offset) {
    auto waits = std::async(std::launch::async, [&] { return next(100, 1h); });
    happened("2");
    EXPECT_EQ(waits.get(), "2@" + std::to_string(offset) + " ");
  }
}

TEST_F(FollowedStreams, AreSkippedLikeTheOthers) {
  happened("12");
  EXPECT_EQ(next(), "1@0 2@1 ");
  happened("2121");
  reader->skip_to({0, 5});
  EXPECT_EQ(next(), "1@5 ");
  reader->wake();
  EXPECT_EQ(next(100, 1h), "");
}

// Positions, and the count of records, are those of a projector that reads everything.
TEST_F(FollowedStreams, MoveAProjectorPastEveryRecord) {
  auto of_one = registry();
  of_one.follows = [](std::string_view stream) { return stream == "user_1"; };
  const auto followed = log->only(of_one.follows);
  MemoryProjectionStore store;
  std::string heard;
  Projector projector(*followed, store, of_one, [&](const LoggedRecord& logged, auto&&...) {
    heard += logged.record->stream + " ";
  });
  ASSERT_TRUE(projector.open());
  const auto farm = [&](const std::string& stream) {
    const auto placed =
        start(tilth::testing::record(stream, versions[stream]++, farm_registered())).get();
    EXPECT_TRUE(placed);
    return placed ? *placed : Position{};
  };
  farm("user_1"), farm("user_2");
  const auto last = farm("user_3");
  EXPECT_FALSE(projector.view("user_1", last));
  EXPECT_TRUE(*projector.follow(0ms));
  EXPECT_TRUE(projector.view("user_1", last));
  EXPECT_EQ(projector.progress().folded, 3U);
  EXPECT_EQ(projector.progress().next, (std::vector<Position>{{0, 3}}));
  EXPECT_EQ(heard, "user_1 ");

  // Paused, its rows are those before the first record that it would fold.
  OperatorOverrides paused;
  paused.paused = true;
  projector.apply_overrides(paused);
  farm("user_2");
  const auto before = farm("user_3");
  const auto its = farm("user_1");
  EXPECT_FALSE(projector.follow(0ms));
  EXPECT_TRUE(projector.view("user_1", before));
  EXPECT_FALSE(projector.view("user_1", its));
}

// A restart does not read again what was left out.
TEST_F(FollowedStreams, ReachACheckpointBehindManyOthers) {
  auto of_one = registry();
  of_one.follows = [](std::string_view stream) { return stream == "user_1"; };
  const auto followed = log->only(of_one.follows);
  MemoryProjectionStore store;
  Projector projector(*followed, store, of_one, [](auto&&...) {});
  ASSERT_TRUE(projector.open());
  std::vector<std::future<Result<Position>>> ends;
  for (std::uint64_t v = 0; v < 10'500; ++v) ends.push_back(start(record("user_2", v, "id")));
  for (auto& end : ends) ASSERT_TRUE(end.get());
  EXPECT_TRUE(*projector.follow(0ms));
  const auto stored = Projector::checkpoint_of(store.newest(), {0});
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored, (std::vector<Position>{{0, 10'500}}));
}

}  // namespace
}  // namespace tilth::testing
