#include "infra/rocksdb/row_cache.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "infra/rocksdb/rocks_store.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

Made made(std::string_view bytes) {
  return {std::make_shared<const std::string>(bytes), bytes.size()};
}

class Rows : public ::testing::Test {
 protected:
  std::string found(std::string_view key, RowCache::State state) {
    const auto kept = cache.find(key, state);
    return kept ? *std::static_pointer_cast<const std::string>(kept) : "nothing";
  }
  void commit(const std::vector<std::string>& keys) {
    cache.begin_commit();
    RowBatch::Changes changes;
    for (const auto& key : keys) changes[key] = "changed";
    cache.end_commit(changes);
  }

  RowCache cache{1 << 20};
};

TEST_F(Rows, AreFoundAgainWhileNoCommitChangesThem) {
  EXPECT_EQ(found("a", cache.state()), "nothing");
  cache.keep("a", made("1"), cache.state());
  EXPECT_EQ(found("a", cache.state()), "1");
  commit({"b", "c"});
  EXPECT_EQ(found("a", cache.state()), "1");
  commit({"a"});
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

TEST_F(Rows, AreNotKeptOfAStateThatIsOver) {
  const auto before = cache.state();
  commit({"a"});
  cache.keep("a", made("before"), before);
  EXPECT_EQ(found("a", before), "nothing");
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

TEST_F(Rows, AreNotShownToReadersOfAnOlderState) {
  const auto before = cache.state();
  commit({"a"});
  cache.keep("a", made("after"), cache.state());
  EXPECT_EQ(found("a", before), "nothing");
  EXPECT_EQ(found("a", cache.state()), "after");
}

TEST_F(Rows, AreNeitherKeptNorFoundOfWhatIsBeingCommitted) {
  cache.keep("a", made("1"), cache.state());
  cache.begin_commit();
  const auto between = cache.state();
  cache.keep("b", made("2"), between);
  EXPECT_EQ(found("a", between), "nothing");
  cache.end_commit({});
  EXPECT_EQ(found("a", cache.state()), "1");
  EXPECT_EQ(found("b", cache.state()), "nothing");
}

TEST_F(Rows, TakeNoMoreMemoryThanIsAllowed) {
  std::weak_ptr<const void> first;
  for (int i = 0; i < 10'000; ++i) {
    auto row = made(std::string(1'000, 'x'));
    if (i == 0) first = row.value;
    cache.keep(std::to_string(i), row, cache.state());
  }
  EXPECT_TRUE(first.expired());
  int there = 0;
  for (int i = 0; i < 10'000; ++i) there += found(std::to_string(i), cache.state()) != "nothing";
  EXPECT_LE(there, 1'000);
  EXPECT_GE(there, 100);
}

TEST_F(Rows, StayIfTheyAreAskedForWhileOthersCome) {
  cache.keep("dear", made("1"), cache.state());
  for (int i = 0; i < 10'000; ++i) {
    cache.keep(std::to_string(i), made(std::string(1'000, 'x')), cache.state());
    ASSERT_EQ(found("dear", cache.state()), "1") << i;
  }
}

TEST_F(Rows, ThatAreLargerThanTheirShareAreNotKept) {
  cache.keep("a", made(std::string(1 << 20, 'x')), cache.state());
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

Made copy(std::string_view bytes) { return made(bytes); }

// Every commit writes one number under all keys, so whatever a state shows must be that number.
TEST(RocksStoreRows, AreThoseOfTheReadersOwnStateWhileOthersCommit) {
  const TemporaryDirectory directory(TemporaryDirectory::memory());
  const RocksMemory memory(1 << 20, 1 << 20);
  auto opened = RocksStore::open(directory.path(), "rows", 1, "1", memory);
  ASSERT_TRUE(opened);
  auto& store = **opened;
  constexpr int kKeys = 8, kCommits = 2'000;
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        const auto state = store.snapshot();
        const auto now = state->get("0");
        for (int key = 0; key < kKeys; ++key) {
          const auto shown = std::static_pointer_cast<const std::string>(
              state->made_of(std::to_string(key), copy));
          wrong += (shown ? std::optional(*shown) : std::nullopt) != now;
        }
      }
    });
  }
  for (int i = 0; i < kCommits; ++i) {
    RowBatch::Changes changes;
    for (int key = 0; key < kKeys; ++key) changes[std::to_string(key)] = std::to_string(i);
    EXPECT_TRUE(store.commit(changes));
  }
  over = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  const auto last =
      std::static_pointer_cast<const std::string>(store.snapshot()->made_of("0", copy));
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, std::to_string(kCommits - 1));
}

}  // namespace
}  // namespace tilth::testing
