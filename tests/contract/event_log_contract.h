// What every EventLog must do. An adapter runs it with one line:
//
//   INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract, Values(LogUnderTest{"kafka", open_kafka}));
//
// `open` returns a log that holds no records. No test here is ever skipped, and each test fails on
// a no-op log. Durability is tested in durable_event_log_contract.h.

#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"

namespace tilth::testing {

using namespace std::chrono_literals;

struct LogUnderTest {
  std::string name;
  std::function<std::unique_ptr<EventLog>()> open;
  // Reopens the log that open() returned last, after its destruction. For durable logs.
  std::function<std::unique_ptr<EventLog>()> reopen = {};
  std::function<void()> clean_up = [] {};  // after the log was destroyed
};

inline void PrintTo(const LogUnderTest& log, std::ostream* out) { *out << log.name; }

class EventLogContract : public ::testing::TestWithParam<LogUnderTest> {
 protected:
  void TearDown() override {
    log.reset();
    GetParam().clean_up();
  }

  static Record record(std::string stream, std::uint64_t version, std::string id) {
    return {std::move(stream), {.id = std::move(id), .stream_version = version}, "{}"};
  }

  // As decided upon the event `predecessor`, before that was known to count.
  static Record following(std::string predecessor, Record record) {
    record.envelope.predecessor = std::move(predecessor);
    return record;
  }

  std::future<Result<Position>> start(Record record) {
    auto ended = std::make_shared<std::promise<Result<Position>>>();
    log->append(std::move(record), [ended](auto end) { ended->set_value(std::move(end)); });
    return ended->get_future();
  }

  // The outcome of the append; not the verdict.
  std::string append(const std::string& stream, std::uint64_t version, const std::string& id) {
    return append(record(stream, version, id));
  }
  std::string append(Record record) {
    auto ended = start(std::move(record));
    if (ended.wait_for(10s) != std::future_status::ready) return "never completed";
    const auto end = ended.get();
    if (end) return "durable";
    return end.error().code == ErrorCode::kStale ? "stale" : end.error().message;
  }

  Result<std::int64_t> end(int partition) {
    std::promise<Result<std::int64_t>> asked;
    log->end(partition, [&](auto offset) { asked.set_value(std::move(offset)); });
    return asked.get_future().get();
  }

  // Every record of a partition from an offset on, read in small pages.
  std::vector<LoggedRecord> read(int partition, std::int64_t from = 0) {
    std::vector<LoggedRecord> all;
    const auto reader = log->read({{partition, from}});
    for (const auto last = end(partition); reader && last && from < *last;) {
      const auto page = (*reader)->next(3, 10s);
      if (!page || page->empty() || page->size() > 3) break;
      all.insert(all.end(), page->begin(), page->end());
      from = all.back().position.offset + 1;
    }
    return all;
  }

  // The ids of a stream's accepted records: "a b c ".
  std::string history(const std::string& stream) {
    std::string ids;
    VersionGate gate;
    for (const auto& logged : read(log->partition_of(stream))) {
      const bool counts = gate.admit(*logged.record);
      if (counts && logged.record->stream == stream) ids += logged.record->envelope.id + " ";
    }
    return ids;
  }

  std::unique_ptr<EventLog> log = GetParam().open();
};

TEST_P(EventLogContract, CountsOneRecordPerVersionInOrder) {
  EXPECT_EQ(history("user_1"), "");
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  EXPECT_EQ(append("user_1", 1, "b"), "durable");
  EXPECT_EQ(append("user_12", 0, "c"), "durable");  // each stream has its own versions
  EXPECT_EQ(history("user_1") + history("user_12"), "a b c ");
}

// A second record for a version, one that skips ahead, and a copy: some logs refuse these as stale,
// others keep them, and none counts them.
TEST_P(EventLogContract, LetsNoRecordCountThatIsNotForTheStreamsVersion) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  const std::string said = append("user_1", 0, "b");
  EXPECT_TRUE(said == "stale" || said == "durable") << said;
  EXPECT_EQ(append("user_1", 2, "c"), said);
  EXPECT_EQ(append("user_1", 0, "a"), said);
  EXPECT_EQ(append("user_1", 1, "d"), "durable");
  EXPECT_EQ(history("user_1"), "a d ");
  EXPECT_EQ(read(log->partition_of("user_1")).size(), said == "stale" ? 2U : 5U);
}

TEST_P(EventLogContract, CountsARecordThatWasDecidedUponTheOneBeforeIt) {
  auto first = start(record("user_1", 0, "a"));
  auto second = start(following("a", record("user_1", 1, "b")));
  auto third = start(following("b", record("user_1", 2, "c")));
  for (auto* each : {&first, &second, &third}) EXPECT_TRUE(each->get());
  EXPECT_EQ(append("user_1", 3, "d"), "durable");
  EXPECT_EQ(history("user_1"), "a b c d ");
}

// Nor one that was decided upon that.
TEST_P(EventLogContract, LetsNoRecordCountThatWasDecidedUponOneThatDoesNot) {
  EXPECT_EQ(append("user_1", 0, "them"), "durable");
  const std::string said = append("user_1", 0, "a");
  EXPECT_EQ(append(following("a", record("user_1", 1, "b"))), said);
  EXPECT_EQ(append(following("b", record("user_1", 2, "c"))), said);
  EXPECT_EQ(append(following("them", record("user_1", 1, "d"))), "durable");
  EXPECT_EQ(append(following("b", record("user_1", 2, "c"))), said);
  EXPECT_EQ(history("user_1"), "them d ");
}

TEST_P(EventLogContract, LetsACopyCountOfARecordThatCameBeforeItsPredecessor) {
  const auto early = following("a", record("user_1", 1, "b"));
  append(early);
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  EXPECT_EQ(append(early), "durable");
  append(early);
  EXPECT_EQ(history("user_1"), "a b ");
}

// The reader may also return earlier records, but misses no later ones.
TEST_P(EventLogContract, ReadsOnFromWhereItIsToldToSkip) {
  for (std::uint64_t version = 0; version < 12; ++version) {
    EXPECT_EQ(append("user_1", version, "id-" + std::to_string(version)), "durable");
  }
  const int partition = log->partition_of("user_1");
  const auto all = read(partition);
  ASSERT_EQ(all.size(), 12U);
  const auto reader = log->read({{partition, 0}});
  ASSERT_TRUE(reader);
  std::string found;
  for (const std::size_t target : {std::size_t{0}, std::size_t{5}, std::size_t{9}}) {
    const auto wanted = all[target].position;
    (*reader)->skip_to(wanted);
    for (std::int64_t at = -1; at < wanted.offset;) {
      const auto page = (*reader)->next(1, 10s);
      ASSERT_TRUE(page && !page->empty());
      at = page->front().position.offset;
      if (at >= wanted.offset) found += page->front().record->envelope.id + " ";
    }
  }
  EXPECT_EQ(found, "id-0 id-5 id-9 ");
}

TEST_P(EventLogContract, KeepsEveryMemberOfARecord) {
  const auto time = Timestamp::parse("2026-03-01T06:30:00.123Z").value();
  const Record whole{"user_1",
                     {"id-1", "tilth.plant.removed", 3, "node-1", time, 1, "request", "cause",
                      "key_1", Idempotency{"key", "hash"},
                      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "before"},
                     R"({"name":"é"})"};
  append("user_1", 0, "before");
  const auto placed = start(whole).get();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->partition, log->partition_of("user_1"));
  const auto found = read(placed->partition, placed->offset);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].position, *placed);
  EXPECT_EQ(*found[0].record, whole);
}

TEST_P(EventLogContract, CountsExactlyOneOfManyRacingWritersForEachVersion) {
  constexpr std::uint64_t kVersions = 20;
  std::vector<std::jthread> writers;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    writers.emplace_back([this, name] {
      for (std::uint64_t v = 0; v < kVersions; ++v) append("user_1", v, name);
    });
  }
  writers.clear();
  EXPECT_EQ(history("user_1").size(), 2 * kVersions);
}

TEST_P(EventLogContract, CompletesOnceNeverInsideAppendAndLetsCompletionsAppend) {
  std::promise<std::thread::id> second;
  std::atomic<int> completed = 0;
  log->append(record("user_1", 0, "a"), [&](Result<Position>) {
    ++completed;
    log->append(record("user_1", 1, "b"),
                [&](Result<Position>) { second.set_value(std::this_thread::get_id()); });
  });
  EXPECT_NE(second.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(completed, 1);
  EXPECT_EQ(history("user_1"), "a b ");
}

TEST_P(EventLogContract, CompletesWhatIsOutstandingWhenDestroyed) {
  std::vector<std::future<Result<Position>>> ends;
  for (std::uint64_t v = 0; v < 50; ++v) ends.push_back(start(record("user_1", v / 2, "a")));
  ends.front().wait();
  EXPECT_NE(history("user_1"), "");
  log.reset();
  for (auto& each : ends) EXPECT_EQ(each.wait_for(0s), std::future_status::ready);
}

TEST_P(EventLogContract, WakesAReaderThatWaitsAtTheEnd) {
  const auto reader = log->read({{log->partition_of("user_1"), 0}});
  ASSERT_TRUE(reader);
  EXPECT_TRUE((*reader)->next(10, 0ms)->empty());
  auto next = std::async(std::launch::async, [&] { return (*reader)->next(10, 10s); });
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  const auto page = next.get();
  ASSERT_EQ(page->size(), 1U);
  EXPECT_EQ(page->front().record->envelope.id, "a");
}

TEST_P(EventLogContract, WakesAReaderThatWaitsForNothing) {
  const int partition = log->partition_of("user_1");
  const auto reader = log->read({{partition, 0}});
  ASSERT_TRUE(reader);
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  ASSERT_EQ((*reader)->next(10, 10s)->size(), 1U);
  (*reader)->wake();  // before it waits
  EXPECT_TRUE((*reader)->next(10, 1h)->empty());
  auto next = std::async(std::launch::async, [&] { return (*reader)->next(10, 1h); });
  (*reader)->wake();
  EXPECT_TRUE(next.get()->empty());
  EXPECT_EQ(append("user_1", 1, "b"), "durable");
  EXPECT_EQ((*reader)->next(10, 10s)->size(), 1U);
}

TEST_P(EventLogContract, ReadsEveryPartitionInPagesWithOffsetsThatGrow) {
  std::vector<Position> beginnings;
  for (int partition = 0; partition < log->partitions(); ++partition) {
    beginnings.push_back({partition, 0});
  }
  std::set<std::string> written;
  for (int stream = 0; stream < 20; ++stream) {
    const std::string name = "user_" + std::to_string(stream);
    EXPECT_EQ(append(name, 0, name), "durable");
    written.insert(name);
  }
  const auto reader = log->read(beginnings);
  ASSERT_TRUE(reader);
  std::set<std::string> found;
  std::map<int, std::int64_t> last;
  while (found.size() < written.size()) {
    const auto page = (*reader)->next(3, 10s);
    ASSERT_TRUE(page);
    ASSERT_FALSE(page->empty());
    EXPECT_LE(page->size(), 3U);
    for (const auto& [position, record] : *page) {
      EXPECT_EQ(position.partition, log->partition_of(record->stream));
      EXPECT_TRUE(!last.contains(position.partition) || last[position.partition] < position.offset);
      last[position.partition] = position.offset;
      EXPECT_TRUE(found.insert(record->envelope.id).second) << "read twice";
    }
  }
  EXPECT_EQ(found, written);
}

TEST_P(EventLogContract, ServesReadersAtDifferentPlacesSideBySide) {
  constexpr std::uint64_t kRecords = 50;
  const int partition = log->partition_of("user_1");
  std::vector<std::int64_t> offsets;
  for (std::uint64_t v = 0; v < kRecords; ++v) {
    const auto placed = start(record("user_1", v, std::to_string(v))).get();
    ASSERT_TRUE(placed);
    offsets.push_back(placed->offset);
  }
  std::vector<std::future<std::size_t>> readers;
  for (const std::size_t begin : {0U, 10U, 25U, 49U}) {
    readers.push_back(std::async(
        std::launch::async, [&, begin] { return read(partition, offsets[begin]).size() + begin; }));
  }
  for (auto& reader : readers) EXPECT_EQ(reader.get(), kRecords);
}

TEST_P(EventLogContract, FollowsWhileWritersWrite) {
  constexpr std::uint64_t kRecords = 100;
  const auto reader = log->read({{log->partition_of("user_1"), 0}});
  ASSERT_TRUE(reader);
  const std::jthread writer([this] {
    for (std::uint64_t v = 0; v < kRecords; ++v) append("user_1", v, std::to_string(v));
  });
  for (std::uint64_t v = 0; v < kRecords;) {
    const auto page = (*reader)->next(7, 10s);
    ASSERT_TRUE(page);
    ASSERT_FALSE(page->empty());
    for (const auto& logged : *page) EXPECT_EQ(logged.record->envelope.stream_version, v++);
  }
}

TEST_P(EventLogContract, KeepsLargeRecords) {
  Record large = record("user_1", 0, "large");
  large.json = '"' + std::string(1 << 20, 'x') + '"';
  ASSERT_TRUE(start(large).get());
  EXPECT_EQ(append("user_1", 1, "small"), "durable");
  const auto found = read(log->partition_of("user_1"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(*found[0].record, large);
}

TEST_P(EventLogContract, TellsAnEndBeyondAllThatIsDurable) {
  const int partition = log->partition_of("user_1");
  for (std::uint64_t v = 0; v < 5; ++v) {
    const auto placed = start(record("user_1", v, "a")).get();
    ASSERT_TRUE(placed);
    const auto last = end(partition);
    ASSERT_TRUE(last);
    EXPECT_GT(*last, placed->offset);
    EXPECT_TRUE(read(partition, *last).empty());
  }
}

TEST_P(EventLogContract, SaysThatRecordsAreLostWhenAskedToReadBeyondTheEnd) {
  const auto last = end(0);
  ASSERT_TRUE(last);
  EXPECT_TRUE(log->read({{0, *last}}));
  const auto lost = log->read({{0, *last + 1}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kLost);
}

}  // namespace tilth::testing
