#include "infra/embedded/embedded_event_log.h"

#include <atomic>
#include <latch>
#include <thread>

#include <gmock/gmock.h>

#include "infra/rocksdb/rocks_memory.h"
#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

using Embedded = LogInDirectory;

TEST_F(Embedded, WritesWhatWaitsTogetherAsOneGroup) {
  std::vector<std::size_t> groups;
  options.on_group = [&](std::size_t records, std::chrono::nanoseconds) {
    groups.push_back(records);
  };
  ASSERT_EQ(open(), "open");
  std::latch completed(10);
  log->append(record("user_1", 0, "a"), [&](auto) {
    for (std::uint64_t v = 0; v < 10;
         ++v) {  // the log cannot start with these before all are queued
      log->append(record("user_2", v, "b"), [&](const auto& end) {
        EXPECT_TRUE(end);
        completed.count_down();
      });
    }
  });
  completed.wait();
  log.reset();
  EXPECT_THAT(groups, ::testing::ElementsAre(1, 10));
}

TEST_F(Embedded, StoresWhatWaitsWhenItsCallerTurnsIt) {
  int woken = 0;
  options.wake = [&] { ++woken; };
  ASSERT_EQ(open(), "open");
  std::vector<std::string> results;
  const auto note = [&](const auto& end) {
    results.push_back(end ? "durable" : end.error().message);
  };
  log->append(record("user_1", 0, "a"), note);
  log->append(record("user_1", 1, "b"), note);
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(read(), "");
  EXPECT_THAT(results, ::testing::IsEmpty());
  log->turn();
  EXPECT_THAT(results, ::testing::ElementsAre("durable", "durable"));
  log->append(record("user_1", 2, "c"), note);
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(results.size(), 2U) << "what was not turned completed";
  EXPECT_EQ(read(), "a b ");
}

TEST_F(Embedded, CountsWhatItHoldsAndHasNotWrittenToTables) {
  options.store.memory = log_memory();
  ASSERT_EQ(open(), "open");
  const auto before = options.store.memory->held().write_bytes;
  auto large = record("user_1", 0, "a");
  large.json.assign(256 << 10, 'x');
  ASSERT_TRUE(start(std::move(large)).get());
  EXPECT_GE(options.store.memory->held().write_bytes, before + (256 << 10));
}

TEST_F(Embedded, ReadsLargeRecordsInPagesOfAFewMegabytes) {
  options.tail_bytes = 0;
  ASSERT_EQ(open(), "open");
  for (std::uint64_t v = 0; v < 6; ++v) {
    auto large = record("user_1", v, std::to_string(v));
    large.json.assign(1 << 20, 'x');
    ASSERT_TRUE(start(std::move(large)).get());
  }
  const auto reader = log->read({{0, 0}});
  ASSERT_TRUE(reader);
  const auto page = (*reader)->next(100, std::chrono::milliseconds(0));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->size(), 4U);
  EXPECT_EQ(read(), "0 1 2 3 4 5 ");
}

TEST_F(Embedded, LeavesWhatIsStaleOutOfAGroup) {
  ASSERT_EQ(open(), "open");
  std::vector<std::string> ends;
  std::latch completed(4);
  log->append(record("user_1", 0, "a"), [&](auto) {
    for (const std::uint64_t version : {1U, 1U, 3U, 2U}) {
      log->append(record("user_1", version, std::to_string(version)), [&](const auto& end) {
        ends.push_back(end ? std::to_string(end->offset) : end.error().message);
        completed.count_down();
      });
    }
  });
  completed.wait();
  EXPECT_THAT(ends, ::testing::ElementsAre("1", "The stream user_1 stands at 2.",
                                           "The stream user_1 stands at 2.", "2"));
  EXPECT_EQ(read(), "a 1 2 ");
}

TEST_F(Embedded, KnowsVersionsThatItNoLongerRemembers) {
  options.cached_streams = 2;
  ASSERT_EQ(open(), "open");
  for (std::uint64_t v = 0; v < 4; ++v) {
    for (const char* stream : {"user_1", "user_2", "user_3", "user_4", "user_5"}) {
      EXPECT_EQ(append(stream, v, "a"), "durable");
      EXPECT_EQ(append(stream, v, "a"), "stale") << "the same record";
    }
  }
  EXPECT_EQ(append("user_1", 3, "b"), "stale");
  EXPECT_EQ(append("user_6", 1, "b"), "stale");
}

TEST_F(Embedded, ShowsRecordsToReadersBeforeTheirAppendsComplete) {
  ASSERT_EQ(open(), "open");
  const auto reader = log->read({{0, 0}});
  ASSERT_TRUE(reader);
  std::promise<std::size_t> read_within;
  log->append(record("user_1", 0, "a"), [&](auto) {
    const auto page = (*reader)->next(10, std::chrono::milliseconds(0));
    read_within.set_value(page->size());
  });
  EXPECT_EQ(read_within.get_future().get(), 1U);
}

TEST_F(Embedded, ReadsAcrossTheEdgeOfWhatIsInMemory) {
  options.tail_bytes = 5'000;
  ASSERT_EQ(open(), "open");
  std::string expected;
  for (std::uint64_t v = 0; v < 100; ++v) {
    EXPECT_EQ(append("user_1", v, std::to_string(v)), "durable");
    expected += std::to_string(v) + " ";
  }
  for (const std::size_t limit : {1U, 7U, 100U}) EXPECT_EQ(read(0, limit), expected);
}

TEST_F(Embedded, RefusesWhatACompletionAppendsWhileItCloses) {
  ASSERT_EQ(open(), "open");
  std::vector<ErrorCode> ends;
  const std::function<void()> go_on = [&, log = log.get()] {
    log->append(record("user_1", 0, "a"), [&](const auto& end) {
      if (!end) ends.push_back(end.error().code);
      if (end || end.error().code != ErrorCode::kUnavailable) go_on();
    });
  };
  go_on();
  log.reset();  // returns, though there is always one more append
  EXPECT_EQ(ends.back(), ErrorCode::kUnavailable);
}

TEST_F(Embedded, IsCopiedWholeWhileItIsWritten) {
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    for (std::uint64_t v = 0; !stop; ++v) append("user_2", v, "b");
  });
  const TemporaryDirectory backups;
  for (const char* name : {"1", "2", "3"}) {
    EXPECT_EQ(append("user_1", static_cast<std::uint64_t>(*name - '0'), name), "durable");
    const auto copied = log->copy_to(backups.path() / name);
    EXPECT_TRUE(copied) << copied.error().message;
  }
  EXPECT_FALSE(log->copy_to(backups.path() / "3")) << "the directory exists";
  stop = true;
  writer.join();
  for (const std::size_t copy : {1U, 2U, 3U}) {
    auto copied = EmbeddedEventLog::open(backups.path() / std::to_string(copy));
    ASSERT_TRUE(copied) << copied.error().message;
    log = std::move(*copied);
    std::string ids = read();
    std::erase_if(ids, [](char c) { return c == 'b' || c == ' '; });
    EXPECT_EQ(ids, std::string("a123").substr(0, copy + 1));
    EXPECT_EQ(append("user_1", copy + 1, "c"), "durable");
  }
}

TEST_F(Embedded, SaysThatOtherPartitionsAndNegativeOffsetsAreLost) {
  ASSERT_EQ(open(), "open");
  for (const Position& from : {Position{1, 0}, Position{0, -1}, Position{-1, 0}}) {
    const auto reader = log->read({from});
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::kLost);
  }
}

}  // namespace
}  // namespace tilth::testing
