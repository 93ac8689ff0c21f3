#include "infra/rocksdb/rocks_store.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <sys/stat.h>

#include "infra/rocksdb/rocks_options.h"
#include "tests/fixtures/bytes_in_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

using Reference = std::map<std::string, std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kSeveralLayers = 40 << 20;

class RocksStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<RocksStore> open(std::string_view fingerprint = "1") const {
    auto opened = RocksStore::open(directory.path(), "rows", 1, fingerprint, memory);
    return opened ? std::move(*opened) : nullptr;
  }

  static std::string number(int i) {
    auto text = std::to_string(i);
    return std::string(9 - text.size(), '0') + text;
  }

  const TemporaryDirectory directory{TemporaryDirectory::memory()};
  const RocksMemory memory{1 << 20, 1 << 20};
};

// With what is reserved for bytes that come later.
std::uintmax_t bytes_on_disk(const std::filesystem::path& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat facts {};
    if (::stat(file.path().c_str(), &facts) != 0) ADD_FAILURE() << file.path();
    bytes += static_cast<std::uintmax_t>(facts.st_blocks) * 512;
  }
  return bytes;
}

// All entries except the store's own.
Entries forward(const RowReader& rows) {
  Entries found;
  const auto cursor = rows.cursor();
  for (cursor->seek("a"); cursor->valid(); cursor->next()) {
    found.emplace_back(cursor->key(), cursor->value());
  }
  return found;
}

Entries backward(const RowReader& rows) {
  Entries found;
  const auto cursor = rows.cursor();
  for (cursor->seek_for_prev("z"); cursor->valid() && cursor->key() >= "a"; cursor->prev()) {
    found.emplace_back(cursor->key(), cursor->value());
  }
  return {found.rbegin(), found.rend()};
}

// What begins with the prefix, and that the cursor ends there.
void expect_shows_within(const RowReader& rows, const Reference& reference,
                         const std::string& prefix) {
  auto next = reference.lower_bound(prefix);
  const auto cursor = rows.cursor_within(prefix);
  for (cursor->seek(prefix); cursor->valid(); cursor->next(), ++next) {
    ASSERT_TRUE(next != reference.end());
    ASSERT_EQ(cursor->key(), next->first);
    ASSERT_EQ(cursor->value(), next->second);
  }
  EXPECT_TRUE(next == reference.end() || !next->first.starts_with(prefix));
}

void expect_shows(const RowReader& rows, const Reference& reference) {
  for (const auto* prefix : {"k1", "k29", "k4999", "k\xFF"}) {
    expect_shows_within(rows, reference, prefix);
  }
  const Entries all(reference.begin(), reference.end());
  EXPECT_TRUE(forward(rows) == all);
  EXPECT_TRUE(backward(rows) == all);
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.push_back("k" + std::to_string(i * 17));
  const auto found = rows.get_many(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto expected = reference.find(keys[i]);
    const auto wanted =
        expected == reference.end() ? std::nullopt : std::optional(expected->second);
    EXPECT_EQ(found[i], wanted);
    EXPECT_EQ(rows.get(keys[i]), wanted);
  }
}

// A node has some for each of its cells.
TEST_F(RocksStoreTest, TakesLittleOfADiskWhileItIsEmpty) {
  const auto store = open();
  ASSERT_TRUE(store);
  EXPECT_LT(bytes_on_disk(directory.path()), std::uintmax_t{256} << 10);
}

TEST_F(RocksStoreTest, ShowsTheNewestValueOfWhatItHasReadFromTheDatabaseBefore) {
  const auto store = open();
  ASSERT_TRUE(store);
  for (const std::string value : {"one", "two", "three"}) {
    ASSERT_TRUE(store->commit({{"key", value}}));
    ASSERT_TRUE(store->write_out());
    EXPECT_EQ(store->newest().get("key"), value);
  }
}

TEST_F(RocksStoreTest, ShowsTheRowsThatItBeginsWithThoughItWasEmptyWhenItWasRead) {
  const auto store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(store->newest().get("key"), std::nullopt);
  EXPECT_EQ(forward(store->newest()), Entries{});
  std::filesystem::create_directories(store->bulk_path());
  ASSERT_TRUE(store->begin_with({}, {{"key", "value"}}));
  EXPECT_EQ(store->newest().get("key"), "value");
  EXPECT_EQ(forward(store->newest()), (Entries{{"key", "value"}}));
}

TEST_F(RocksStoreTest, ShowsWhatWasCommittedWhereverItLiesByNow) {
  auto store = open();
  ASSERT_TRUE(store);
  Reference reference;
  std::vector<std::pair<std::shared_ptr<const RowReader>, Reference>> before;
  std::mt19937_64 random(1);
  for (std::size_t written = 0, commits = 0; written < kSeveralLayers; ++commits) {
    RowBatch::Changes changes;
    for (int i = 0; i < 200; ++i) {
      const auto key = "k" + std::to_string(random() % 6'000);
      if (random() % 4 == 0) {
        changes[key] = std::nullopt;
        reference.erase(key);
      } else {
        const std::string value(500 + random() % 500, static_cast<char>('a' + random() % 26));
        changes[key] = value;
        reference[key] = value;
        written += value.size();
      }
    }
    ASSERT_TRUE(store->commit(changes));
    if (commits % 100 == 0) {
      expect_shows(store->newest(), reference);
      before.emplace_back(store->snapshot(), reference);
    }
  }
  for (const auto& [state, then] : before) expect_shows(*state, then);
  before.clear();
  store.reset();
  store = open();
  ASSERT_TRUE(store);
  expect_shows(*store->snapshot(), reference);
}

TEST_F(RocksStoreTest, CountsWhatItsMemoryHolds) {
  auto store = open();
  ASSERT_TRUE(store);
  const auto before = memory.held();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store->commit({{"k" + std::to_string(i), std::string(1'000, 'v')}}));
  }
  store.reset();  // stores what is collected in memory
  store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(store->newest().get("k99"), std::string(1'000, 'v'));
  const auto after = memory.held();
  EXPECT_GT(after.cache_bytes + after.write_bytes, before.cache_bytes + before.write_bytes);
}

// A copy contains what is on disk, which is what a crash leaves.
TEST_F(RocksStoreTest, StandsOnDiskWhereSomeCommitHadLeftIt) {
  constexpr int kCommits = 40'000;
  const TemporaryDirectory other(TemporaryDirectory::memory());
  std::filesystem::create_directories(other.path() / "rows");
  auto store = open();
  ASSERT_TRUE(store);
  for (int i = 0; i < kCommits; ++i) {
    RowBatch::Changes changes;
    changes["count"] = number(i + 1);
    changes["row" + number(i)] = std::string(1'000, 'x');
    ASSERT_TRUE(store->commit(changes));
  }
  ASSERT_TRUE(store->copy_to(other.path() / "rows" / "1"));
  const auto left = RocksStore::open(other.path(), "rows", 1, "1", memory);
  ASSERT_TRUE(left);
  const auto rows = forward((*left)->newest());
  ASSERT_FALSE(rows.empty()) << "nothing was written to disk";
  EXPECT_LT(rows.size(), kCommits) << "everything was written, so that this test shows nothing";
  const auto count = static_cast<int>(rows.size()) - 1;
  EXPECT_EQ(rows.front().second, number(count));
  EXPECT_EQ(rows.back().first, "row" + number(count - 1));
}

// Where each record changes the same few rows, a layer never grows large.
TEST_F(RocksStoreTest, WritesALayerThatIsAMinuteOld) {
  using namespace std::chrono_literals;
  RocksStore::Steady::time_point now;
  auto store = RocksStore::open(directory.path(), "rows", 1, "1", memory, [&] { return now; });
  ASSERT_TRUE(store);
  const auto on_disk = [&] {
    const TemporaryDirectory other(TemporaryDirectory::memory());
    std::filesystem::create_directories(other.path() / "rows");
    EXPECT_TRUE((*store)->copy_to(other.path() / "rows" / "1"));
    const auto left = RocksStore::open(other.path(), "rows", 1, "1", memory);
    return left ? (*left)->newest().get("count") : std::nullopt;
  };
  ASSERT_TRUE((*store)->commit({{"count", "1"}}));
  now += 59s;
  ASSERT_TRUE((*store)->commit({{"count", "2"}}));
  EXPECT_EQ(on_disk(), std::nullopt);
  now += 1s;
  ASSERT_TRUE((*store)->commit({{"count", "3"}}));
  EXPECT_EQ((*store)->newest().get("count"), "3");
  // Written on a thread of its own, at its pace.
  while (on_disk() != "2") {
  }
  now += 59s;
  ASSERT_TRUE((*store)->commit({{"count", "4"}}));
  now += 1s;
  ASSERT_TRUE((*store)->commit({{"count", "5"}}));
  while (on_disk() != "4") {
  }
}

// Reads may go on for a long time after the last commit.
TEST_F(RocksStoreTest, PassesOverNoRowOfALayerThatWasWrittenAfterTheLastCommit) {
  const auto store = open();
  ASSERT_TRUE(store);
  RowBatch::Changes layer;
  for (int i = 0; i < 150'000; ++i) layer["k" + number(i)] = std::string(100, 'x');
  ASSERT_TRUE(store->commit(layer));
  ASSERT_TRUE(store->commit({{"last", "1"}})) << "which begins to write the layer";
  const auto passed_over = [&] {
    const auto cursor = store->snapshot()->cursor();
    rocksdb::get_perf_context()->Reset();
    cursor->seek("k");
    EXPECT_TRUE(cursor->valid());
    return rocksdb::get_perf_context()->internal_recent_skipped_count;
  };
  const auto folder = directory.path() / "rows" / "1";
  const auto is_written = [&] {
    const auto files = std::filesystem::directory_iterator(folder);
    const auto tables = std::count_if(begin(files), end(files), [](const auto& file) {
      return file.path().extension() == ".sst" && file.path().filename() != "layer.sst";
    });
    return tables > 0 && !std::filesystem::exists(folder / "layer.sst");
  };
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  passed_over();
  while (!is_written()) {  // on a thread of its own, at its pace
  }
  while (passed_over() > 0) {
  }
  rocksdb::SetPerfLevel(rocksdb::kDisable);
}

// A removal visits all that it erases in this way.
TEST_F(RocksStoreTest, AWalkOverTheNewestRowsLeavesTheCacheToOthers) {
  const auto store = open();
  ASSERT_TRUE(store);
  RowBatch::Changes changes;
  for (int i = 0; i < 300; ++i) changes["k" + number(i)] = std::string(1'000, 'x');
  ASSERT_TRUE(store->commit(changes));
  ASSERT_TRUE(store->write_out());
  const auto cached = [&] { return memory.parts().cache->GetUsage(); };
  const auto walk = [](const RowReader& rows) {
    std::size_t bytes = 0;
    const auto cursor = rows.cursor_within("k");
    for (cursor->seek("k"); cursor->valid(); cursor->next()) bytes += cursor->value().size();
    return bytes;
  };
  const auto before = cached();
  EXPECT_EQ(walk(store->newest()), 300'000U);
  EXPECT_LT(cached(), before + 100'000);
  EXPECT_EQ(walk(*store->snapshot()), 300'000U);
  EXPECT_GT(cached(), before + 250'000) << "queries do cache what they read";
}

TEST_F(RocksStoreTest, LeavesNothingOfWhatWasErasedInAnyFile) {
  auto store = open();
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->commit({{"ali", "Zainab Omar"}, {"b", "other"}}));
  ASSERT_TRUE(store->write_out());
  EXPECT_EQ(count_in_files(directory.path(), "Zainab"), 1U);
  auto reader = store->snapshot();
  ASSERT_TRUE(store->commit({{"ali", std::nullopt}}));
  ASSERT_TRUE(store->write_out());
  bool read_until = false;  // a reader of an earlier state keeps it
  const auto refused = store->compact("a", "b", [&] { return !std::exchange(read_until, true); });
  EXPECT_FALSE(refused);
  EXPECT_EQ(reader->get("ali"), "Zainab Omar");
  reader.reset();
  ASSERT_TRUE(store->compact("a", "b", [] { return true; }));
  EXPECT_EQ(count_in_files(directory.path(), "Zainab"), 0U);
  EXPECT_EQ(store->snapshot()->get("b"), "other");
  ASSERT_TRUE(store->write_out()) << "with nothing to write";
  store.reset();
  EXPECT_EQ(forward(open()->newest()), (Entries{{"b", "other"}}));
}

// RocksDB before 9.10 drops all rows that were ingested first if a compaction meets a snapshot of
// the sequence number 0 (https://github.com/facebook/rocksdb/pull/13155).
TEST_F(RocksStoreTest, LosesNothingWhileItsFirstStateIsRead) {
  const auto store = open();
  ASSERT_TRUE(store->commit({{"apple", "1"}, {"berry", "2"}}));
  ASSERT_TRUE(store->write_out());
  const auto read_meanwhile = store->snapshot();
  ASSERT_TRUE(store->compact("a", "c", [] { return true; }));
  const Entries all = {{"apple", "1"}, {"berry", "2"}};
  EXPECT_EQ(forward(*store->snapshot()), all);
  EXPECT_EQ(forward(store->newest()), all);
  EXPECT_EQ(forward(*read_meanwhile), all);
}

// What was erased may never have been written, when a crash took it before: then only its tombstone
// is, which names it, above files that have no such key.
TEST_F(RocksStoreTest, LeavesNoTombstoneOfWhatWasErased) {
  auto store = open();
  ASSERT_TRUE(store->commit({{"a", "first"}, {"z", "last"}}));
  ASSERT_TRUE(store->write_out());
  ASSERT_TRUE(store->commit({{"c", "other"}, {"mZainab", std::nullopt}, {"n", "other"}}));
  ASSERT_TRUE(store->write_out());
  EXPECT_EQ(count_in_files(directory.path(), "Zainab"), 1U);
  ASSERT_TRUE(store->compact("m", "n", [] { return true; }));
  EXPECT_EQ(count_in_files(directory.path(), "Zainab"), 0U);
}

// RocksDB ingests a file under a second name; a crash may come before it removes the first one.
void leave_layer(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sst") continue;
    std::filesystem::create_hard_link(entry.path(), folder / "layer.sst");
    break;
  }
  ASSERT_TRUE(std::filesystem::exists(folder / "layer.sst"));
}

TEST_F(RocksStoreTest, LeavesNothingOfWhatWasErasedInAFileOfACrash) {
  ASSERT_TRUE(open()->commit({{"ali", "Zainab Omar"}}));
  const auto folder = directory.path() / "rows" / "1";
  leave_layer(folder);
  const auto store = open();
  EXPECT_FALSE(std::filesystem::exists(folder / "layer.sst"));
  int asked = 0;
  ASSERT_TRUE(store->compact("a", "b", [&] { return ++asked < 100; })) << "no layer is written";
}

TEST_F(RocksStoreTest, WritesOverNoFileThatHasBeenTakenIn) {
  const auto folder = directory.path() / "rows" / "1";
  ASSERT_TRUE(open()->commit({{"a", "1"}}));
  leave_layer(folder);
  ASSERT_TRUE(open()->commit({{"b", "2"}}));
  const auto store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(store->newest().get("a"), "1");
  EXPECT_EQ(store->newest().get("b"), "2");
}

// An obstacle is where layers are written, as if the disk were full.
TEST_F(RocksStoreTest, WritesNoLayerWithoutTheOneUnderIt) {
  const std::string large(13 << 20, 'x');
  auto store = open();
  ASSERT_TRUE(store);
  const auto obstacle = directory.path() / "rows" / "1" / "layer.sst";
  std::filesystem::create_directories(obstacle / "full");
  ASSERT_TRUE(store->commit({{"a", large}}));
  ASSERT_TRUE(store->commit({{"b", large}}));
  EXPECT_FALSE(store->commit({{"c", "3"}})) << "both layers are full, and none can be written";
  std::filesystem::remove_all(obstacle);
  store.reset();
  store = open();
  ASSERT_TRUE(store);
  for (const auto* key : {"a", "b"}) EXPECT_TRUE(store->newest().get(key) == large) << key;
}

TEST_F(RocksStoreTest, DoesNotOpenRowsOfAnotherShape) {
  RowBatch::Changes changes;
  changes["a"] = "1";
  EXPECT_TRUE(open("1")->commit(changes));
  EXPECT_EQ(open("1")->newest().get("a"), "1");
  const auto other = RocksStore::open(directory.path(), "rows", 1, "2", memory);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace tilth::testing
