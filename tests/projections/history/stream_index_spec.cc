#include <memory>
#include <utility>

#include "infra/embedded/memory_event_log.h"
#include "projections/history/stream_index.h"
#include "projections/history/stream_reader.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using Offsets = std::vector<std::int64_t>;
constexpr std::chrono::milliseconds kTimeout{1'000};

// Counts the records that its readers return.
class CountedLog final : public PassingLog {
 public:
  using PassingLog::PassingLog;

  void end(int partition, OnEnd done) override {
    told_end ? done(*told_end) : PassingLog::end(partition, std::move(done));
  }

  std::size_t handed_out = 0;
  std::optional<std::int64_t> told_end = {};  // if set, an outdated end
  bool leaps = true;                          // whether its readers can skip

 private:
  class Reader final : public PassingReader {
   public:
    Reader(CountedLog& log, std::unique_ptr<LogReader> reader)
        : PassingReader(std::move(reader)), log_(log) {}
    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      auto page = PassingReader::next(limit, timeout);
      if (page) log_.handed_out += page->size();
      return page;
    }
    void skip_to(const Position& position) override {
      if (log_.leaps) PassingReader::skip_to(position);
    }

   private:
    CountedLog& log_;
  };

  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    return std::make_unique<Reader>(*this, std::move(reader));
  }
};

class StreamIndexSpec : public ::testing::Test {
 protected:
  StreamIndexSpec() { begin(); }

  void begin() {
    index = std::make_unique<StreamIndex>(log, store);
    ASSERT_TRUE(index->open());
  }
  void happened(const std::string& stream, int times = 1) {
    for (; times > 0; --times) append(log, record(stream, versions[stream]++, farm_registered()));
  }
  void happened_of_type(const std::string& stream, const std::string& type, int times = 1) {
    for (; times > 0; --times) {
      auto its = record(stream, versions[stream]++, farm_registered());
      its.envelope.type = type;
      append(log, its);
    }
  }
  StreamReader reader_of_types(const std::string& stream, const std::string& prefix) {
    StreamReader reader(log, *index, stream);
    reader.only([prefix](std::string_view type) { return type.starts_with(prefix); });
    EXPECT_TRUE(reader.refresh());
    return reader;
  }
  void reach_end() {
    const auto end = static_cast<std::int64_t>(log_end());
    const auto reached = index->reach({0, end}, kTimeout);
    ASSERT_TRUE(reached) << reached.error().message;
  }
  std::size_t log_end() {
    const auto reader = memory.read({{0, 0}});
    return (*reader)->next(1'000'000, std::chrono::milliseconds(0))->size();
  }
  StreamReader reader_of(const std::string& stream) {
    StreamReader reader(log, *index, stream);
    EXPECT_TRUE(reader.refresh());
    return reader;
  }
  // The versions of all records that the reader returns.
  static std::vector<std::uint64_t> versions_from(StreamReader& reader, std::size_t limit = 1'000) {
    std::vector<std::uint64_t> found;
    for (;;) {
      const auto page = reader.next(limit);
      if (!page || page->empty()) return found;
      for (const auto& logged : *page) found.push_back(logged.record->envelope.stream_version);
    }
  }

  MemoryEventLog memory{1, MemoryEventLog::Refused::kKept};
  CountedLog log{memory};
  MemoryProjectionStore store;
  std::unique_ptr<StreamIndex> index;
  std::map<std::string, std::uint64_t> versions;
};

TEST_F(StreamIndexSpec, KnowsWhereEachStreamsRecordsLie) {
  happened("a"), happened("b", 2), happened("a"), happened("c"), happened("a");
  reach_end();
  EXPECT_EQ(index->offsets("a", 0, 10), (Offsets{0, 3, 5}));
  EXPECT_EQ(index->offsets("b", 0, 10), (Offsets{1, 2}));
  EXPECT_EQ(index->offsets("no one", 0, 10), Offsets{});
  EXPECT_EQ(index->version_at("a", 6), 3U);
  EXPECT_EQ(index->version_at("no one", 6), 0U);
}

TEST_F(StreamIndexSpec, LeavesOutWhatWasRefused) {
  happened("a");
  append(log, record("a", 0, farm_registered(), "a copy"));
  append(log, record("a", 7, farm_registered(), "ahead"));
  happened("a");
  reach_end();
  EXPECT_EQ(index->offsets("a", 0, 10), (Offsets{0, 3}));
}

TEST_F(StreamIndexSpec, LeavesOutWhatIsNoRecordOfOurs) {
  append(log, {.stream = "a", .envelope = {}, .foreign = "It is none of ours."});
  happened("a");
  reach_end();
  EXPECT_EQ(index->offsets("a", 0, 10), Offsets{1});
}

TEST_F(StreamIndexSpec, AReaderEndsWhereTheLogDidThoughTheIndexHasGoneOn) {
  happened("a"), happened("b"), happened("a");
  log.told_end = 3;
  happened("b"), happened("a");
  reach_end();
  auto reader = reader_of("a");
  EXPECT_EQ(reader.end(), 3);
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{0, 1}));
}

TEST_F(StreamIndexSpec, BeginsInTheMiddleAndEndsAtTheLimit) {
  happened("a", 5);
  reach_end();
  happened("b", 2), happened("a", 5);
  reach_end();
  EXPECT_EQ(index->offsets("a", 3, 4), (Offsets{3, 4, 7, 8}));
  EXPECT_EQ(index->offsets("a", 9, 4), (Offsets{11}));
  EXPECT_EQ(index->offsets("a", 10, 4), Offsets{});
}

TEST_F(StreamIndexSpec, GoesOnOverWhatItKept) {
  happened("a", 3);
  reach_end();
  begin();
  happened("b"), happened("a");
  reach_end();
  EXPECT_EQ(index->offsets("a", 0, 10), (Offsets{0, 1, 2, 4}));
}

// A stream in each of three partitions.
class PartOfTheIndexSpec : public ::testing::Test {
 protected:
  static constexpr int kPartitions = 3;

  PartOfTheIndexSpec() {
    for (int number = 0; streams.size() < kPartitions; ++number) {
      auto stream = "user_" + std::to_string(number);
      streams.emplace(log.partition_of(stream), stream);
    }
    EXPECT_TRUE(index.open());
  }
  void happened(int partition) {
    const auto& stream = streams.at(partition);
    append(log, record(stream, versions[partition]++, farm_registered()));
  }
  void follow() {
    while (*index.follow()) {
    }
  }
  std::size_t known(int partition) { return index.offsets(streams.at(partition), 0, 100).size(); }

  MemoryEventLog log{kPartitions, MemoryEventLog::Refused::kKept};
  MemoryProjectionStore store;
  StreamIndex index{log, store};
  std::map<int, std::string> streams;  // one of each partition
  std::map<int, std::uint64_t> versions;
};

TEST_F(PartOfTheIndexSpec, FollowsWhatItIsToldToAlone) {
  for (int partition = 0; partition < kPartitions; ++partition) happened(partition);
  ASSERT_TRUE(index.follow_only({1}));
  follow();
  EXPECT_EQ(known(0), 0U);
  EXPECT_EQ(known(1), 1U);
  ASSERT_TRUE(index.follow_only({0, 1}));
  happened(1);
  follow();
  EXPECT_EQ(known(0), 1U);
  EXPECT_EQ(known(1), 2U);
  EXPECT_EQ(known(2), 0U);
}

TEST_F(PartOfTheIndexSpec, ReadsOnWhereItDoesNotFollowWhenItIsAsked) {
  for (int i = 0; i < 5; ++i) happened(2);
  ASSERT_TRUE(index.follow_only({}));
  follow();
  ASSERT_TRUE(index.reach({2, 5}, kTimeout));
  EXPECT_EQ(known(2), 5U);
  happened(2);
  ASSERT_TRUE(index.follow_only({2}));
  follow();
  EXPECT_EQ(known(2), 6U);
  EXPECT_FALSE(index.reach({1, 1}, std::chrono::milliseconds(1))) << "there is no such record";
}

TEST_F(StreamIndexSpec, LosesNothingWhereItsStoreFails) {
  FailingStore failing(store);
  index = std::make_unique<StreamIndex>(log, failing);
  ASSERT_TRUE(index->open());
  happened("a", 3);
  failing.fail_all_but_every(3);
  EXPECT_FALSE(index->follow());
  EXPECT_FALSE(index->follow());
  ASSERT_TRUE(index->follow());
  EXPECT_EQ(index->offsets("a", 0, 10), (Offsets{0, 1, 2}));
}

TEST_F(StreamIndexSpec, TellsWhichVersionAnOffsetIs) {
  for (int round = 0; round < 7; ++round) {
    happened("a", 3), happened("b", 2);
    reach_end();
  }
  const auto all = index->offsets("a", 0, 100);
  for (std::int64_t offset = 0; offset < 40; ++offset) {
    const auto before = std::lower_bound(all.begin(), all.end(), offset) - all.begin();
    EXPECT_EQ(index->version_at("a", offset), static_cast<std::uint64_t>(before)) << offset;
  }
}

TEST_F(StreamIndexSpec, DoesNotWaitForEver) {
  const auto reached = index->reach({0, 1}, std::chrono::milliseconds(1));
  ASSERT_FALSE(reached);
  EXPECT_EQ(reached.error().code, ErrorCode::kUnavailable);
}

TEST_F(StreamIndexSpec, ReadsOneStreamForWhatThatStreamHolds) {
  for (int round = 0; round < 50; ++round) happened("a"), happened("b", 100);
  reach_end();
  log.handed_out = 0;
  auto reader = reader_of("a");
  EXPECT_EQ(versions_from(reader).size(), 50U);
  EXPECT_EQ(log.handed_out, 50U);
}

TEST_F(StreamIndexSpec, ReadsTheSameFromALogThatCannotLeap) {
  log.leaps = false;
  for (int round = 0; round < 20; ++round) happened("a", 1 + round % 3), happened("b", round * 3);
  reach_end();
  auto reader = reader_of("a");
  const auto found = versions_from(reader, 7);
  ASSERT_EQ(found.size(), versions["a"]);
  for (std::uint64_t version = 0; version < found.size(); ++version) {
    EXPECT_EQ(found[version], version);
  }
}

TEST_F(StreamIndexSpec, GoesOnAfterAMarkOfTheStreamOnly) {
  happened("a"), happened("b"), happened("a", 2);
  auto reader = reader_of("a");
  EXPECT_FALSE(reader.go_on_after({0, 1}));
  EXPECT_FALSE(reader.go_on_after({0, 9}));
  EXPECT_FALSE(reader.go_on_after({1, 0}));
  ASSERT_TRUE(reader.go_on_after({0, 0}));
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(StreamIndexSpec, ReadsWhatCameOnceItIsRefreshed) {
  happened("a", 2);
  auto reader = reader_of("a");
  EXPECT_EQ(versions_from(reader).size(), 2U);
  happened("a");
  EXPECT_EQ(versions_from(reader).size(), 0U);
  ASSERT_TRUE(reader.refresh());
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{2}));
}

TEST_F(StreamIndexSpec, FindsARareTypeForWhatThereIsOfIt) {
  for (int i = 0; i < 3; ++i) {
    happened_of_type("user_a", "tilth.plant.added", 500);
    happened_of_type("user_a", "tilth.task.completed", 2);
    happened_of_type("user_b", "tilth.task.completed");
  }
  reach_end();
  log.handed_out = 0;
  auto reader = reader_of_types("user_a", "tilth.task.");
  EXPECT_EQ(versions_from(reader),
            (std::vector<std::uint64_t>{500, 501, 1'002, 1'003, 1'504, 1'505}));
  EXPECT_LE(log.handed_out, 8U);
  EXPECT_EQ(index->types("user_a"),
            (std::vector<std::string>{"tilth.plant.added", "tilth.task.completed"}));
  EXPECT_EQ(index->types("user_"), std::vector<std::string>{});
}

TEST_F(StreamIndexSpec, ReturnsSeveralTypesInTheOrderOfTheStream) {
  std::vector<std::uint64_t> wanted;
  for (int i = 0; i < 300; ++i) {
    const auto* type = i % 7 == 0   ? "tilth.task.added"
                       : i % 5 == 0 ? "tilth.task.removed"
                                    : "tilth.plant.added";
    if (i % 7 == 0 || i % 5 == 0) wanted.push_back(versions["user_a"]);
    happened_of_type("user_a", type);
    if (i % 40 == 0) reach_end();  // several runs
  }
  reach_end();
  for (const std::size_t limit : {1U, 3U, 50U, 1'000U}) {
    auto reader = reader_of_types("user_a", "tilth.task.");
    EXPECT_EQ(versions_from(reader, limit), wanted) << limit;
  }
  auto none = reader_of_types("user_a", "tilth.tas.");
  EXPECT_EQ(versions_from(none), std::vector<std::uint64_t>{});
  auto all = reader_of_types("user_a", "tilth.");
  EXPECT_EQ(versions_from(all).size(), 300U);
}

TEST_F(StreamIndexSpec, GoesOnAmongTypesAfterAMarkAndWithWhatComesLater) {
  happened_of_type("user_a", "tilth.task.added", 2);    // offsets 0, 1
  happened_of_type("user_a", "tilth.plant.added", 2);   // 2, 3
  happened_of_type("user_a", "tilth.task.removed", 1);  // 4
  reach_end();
  auto reader = reader_of_types("user_a", "tilth.task.");
  ASSERT_TRUE(reader.go_on_after({0, 2}));
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{4}));
  happened_of_type("user_a", "tilth.task.renamed");  // a type that is new
  happened_of_type("user_a", "tilth.plant.added");
  EXPECT_EQ(versions_from(reader), std::vector<std::uint64_t>{}) << "not before it is refreshed";
  ASSERT_TRUE(reader.refresh());
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{5}));
}

TEST_F(StreamIndexSpec, BeginsToSkipOnceThereIsAnotherType) {
  happened_of_type("user_a", "tilth.task.added", 3);
  auto reader = reader_of_types("user_a", "tilth.task.");
  EXPECT_EQ(versions_from(reader).size(), 3U);
  happened_of_type("user_a", "tilth.plant.added", 100);
  happened_of_type("user_a", "tilth.task.added");
  ASSERT_TRUE(reader.refresh());
  EXPECT_EQ(versions_from(reader), (std::vector<std::uint64_t>{103}));
}

}  // namespace
}  // namespace tilth::testing
