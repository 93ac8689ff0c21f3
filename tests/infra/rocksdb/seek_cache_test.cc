#include "infra/rocksdb/seek_cache.h"

#include <optional>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace tilth {
namespace {

using ::testing::IsNull;
using ::testing::Pointee;

TEST(SeekCache, AreThoseThatASeekPassed) {
  SeekCache known(1'000);
  EXPECT_THAT(known.find("c"), IsNull());
  known.keep("c", "f");
  for (const auto* key : {"c", "d", "f"}) EXPECT_THAT(known.find(key), Pointee(std::string("f")));
  for (const auto* key : {"b", "f1"}) EXPECT_THAT(known.find(key), IsNull());
}

TEST(SeekCache, GrowWithASeekFromFartherAway) {
  SeekCache known(1'000);
  known.keep("c", "f");
  known.keep("a", "f");
  EXPECT_THAT(known.find("b"), Pointee(std::string("f")));
}

TEST(SeekCache, EndWhereALayerPutsAKey) {
  SeekCache known(1'000);
  known.keep("a", "f");
  SharedMap layer;
  layer.put("c", "1"), layer.put("f", "2");
  known.apply(layer);
  for (const auto* key : {"a", "c"}) EXPECT_THAT(known.find(key), IsNull());
  EXPECT_THAT(known.find("d"), Pointee(std::string("f")));
}

TEST(SeekCache, AreForgottenWithTheirEnds) {
  SeekCache known(1'000);
  known.keep("a", "f");
  SharedMap layer;
  layer.put("c", std::nullopt), layer.put("f", std::nullopt);
  known.apply(layer);
  EXPECT_THAT(known.find("a"), IsNull());
}

TEST(SeekCache, HoldNoMoreThanTheyMay) {
  SeekCache known(2'000);
  known.keep("a", "b");
  for (int i = 0; i < 1'000; ++i) known.keep("c" + std::to_string(i), "d" + std::to_string(i));
  EXPECT_THAT(known.find("a"), IsNull());
}

TEST(SeekCache, AnswerWhatASortedSetAnswersWhateverChanges) {
  std::mt19937 random(7);
  const auto any_key = [&] { return std::to_string(random() % 300); };
  std::set<std::string, std::less<>> keys;
  SeekCache known(8'000);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    SharedMap layer;
    for (int i = 0; i < 10; ++i) {
      const auto key = any_key();
      if (random() % 2 == 0) {
        layer.put(key, "1"), keys.insert(key);
      } else {
        layer.put(key, std::nullopt), keys.erase(key);
      }
    }
    known.apply(layer);
    for (int i = 0; i < 100; ++i) {
      const auto key = any_key();
      const auto end = keys.lower_bound(key);
      const auto* told = known.find(key);
      found += told != nullptr;
      if (told != nullptr) {
        ASSERT_NE(end, keys.end()) << key;
        ASSERT_EQ(*told, *end) << key;
      } else if (end != keys.end()) {
        known.keep(key, *end);
      }
    }
  }
  EXPECT_GT(found, 3'000);
}

}  // namespace
}  // namespace tilth
