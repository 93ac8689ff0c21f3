#include "projections/rows/row_batch.h"

#include <random>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using Model = std::map<std::string, std::string>;

// A batch over a base, and a map that models both together.
class RowBatchOverABase : public ::testing::Test {
 protected:
  std::string some_key() {
    std::string key;
    for (auto length = random() % 3; key.size() <= length;) {
      key.push_back(static_cast<char>('a' + random() % 4));
    }
    return key;
  }

  void fill() {
    for (auto count = random() % 40; count > 0; --count) {
      const auto key = some_key();
      base.put(key, "base");
      if (!batch.changes().contains(key)) model[key] = "base";
    }
  }

  void change() {
    for (auto count = random() % 40; count > 0; --count) {
      const auto key = some_key();
      if (random() % 2 == 0) {
        batch.put(key, "change " + std::to_string(count));
        model[key] = "change " + std::to_string(count);
      } else {
        batch.erase(key);
        model.erase(key);
      }
    }
  }

  std::mt19937 random{1};
  RowBatch base;
  RowBatch batch{static_cast<const RowReader&>(base)};
  Model model;
};

void expect_at(const RowCursor& cursor, const Model& model, Model::const_iterator at) {
  ASSERT_EQ(cursor.valid(), at != model.end());
  if (!cursor.valid()) return;
  ASSERT_EQ(cursor.key(), at->first);
  ASSERT_EQ(cursor.value(), at->second);
}

Model::const_iterator before(const Model& model, Model::const_iterator at) {
  return at == model.begin() ? model.end() : std::prev(at);
}

TEST_F(RowBatchOverABase, ReadsItsOwnWritesAndLeavesTheBaseAlone) {
  base.put("a", "1");
  base.put("b", "2");
  batch.put("a", "3");
  batch.erase("b");
  batch.put("c", "4");
  EXPECT_EQ(batch.get("a"), "3");
  EXPECT_EQ(batch.get("b"), std::nullopt);
  const std::vector<std::optional<std::string>> found{"4", {}, "3", {}};
  EXPECT_EQ(batch.get_many({"c", "b", "a", "d"}), found);
  EXPECT_EQ(base.get("a"), "1");
  EXPECT_EQ(base.get("b"), "2");
  const RowBatch::Changes changes{{"a", "3"}, {"b", std::nullopt}, {"c", "4"}};
  EXPECT_EQ(batch.changes(), changes);
}

TEST_F(RowBatchOverABase, HasCursorsThatWalkAsThoughItWereOneMap) {
  for (int round = 0; round < 400; ++round) {
    fill();
    change();
    const auto cursor = batch.cursor();
    Model::const_iterator at = model.end();
    for (int move = 0; move < 60; ++move) {
      SCOPED_TRACE("round " + std::to_string(round) + ", move " + std::to_string(move));
      const auto key = some_key();
      switch (cursor->valid() ? random() % 6 : random() % 2) {
        case 0:
          cursor->seek(key);
          at = model.lower_bound(key);
          break;
        case 1:
          cursor->seek_for_prev(key);
          at = before(model, model.upper_bound(key));
          break;
        case 2:
        case 3:
          cursor->next();
          ++at;
          break;
        default:
          cursor->prev();
          at = before(model, at);
      }
      ASSERT_NO_FATAL_FAILURE(expect_at(*cursor, model, at));
    }
  }
}

TEST_F(RowBatchOverABase, HasCursorsThatEndWithAPrefix) {
  for (int round = 0; round < 200; ++round) {
    fill();
    change();
    const auto prefix = some_key();
    auto at = model.lower_bound(prefix);
    const auto cursor = batch.cursor_within(prefix);
    for (cursor->seek(prefix); cursor->valid(); cursor->next(), ++at) {
      ASSERT_NO_FATAL_FAILURE(expect_at(*cursor, model, at));
    }
    ASSERT_TRUE(at == model.end() || !at->first.starts_with(prefix)) << "round " << round;
  }
}

TEST_F(RowBatchOverABase, HasCursorsThatFindWhatIsWrittenMeanwhile) {
  fill();
  for (int round = 0; round < 300; ++round) {
    const auto cursor = batch.cursor(), other = batch.cursor();
    for (int i = 0; i < 5; ++i) {
      change();
      const auto key = some_key();
      cursor->seek(key);
      ASSERT_NO_FATAL_FAILURE(expect_at(*cursor, model, model.lower_bound(key)));
      other->seek_for_prev(key);
      ASSERT_NO_FATAL_FAILURE(expect_at(*other, model, before(model, model.upper_bound(key))));
    }
  }
}

TEST(RowBatch, WithoutABaseIsAStoreInMemory) {
  RowBatch store;
  store.put("a", "1");
  store.put("b", "2");
  store.erase("a");
  store.erase("never");
  EXPECT_EQ(store.changes().size(), 1U);
  const auto cursor = store.cursor();
  EXPECT_FALSE(cursor->valid());
  cursor->seek_for_prev("z");
  ASSERT_TRUE(cursor->valid());
  EXPECT_EQ(cursor->key(), "b");
  cursor->prev();
  EXPECT_FALSE(cursor->valid());
}

}  // namespace
}  // namespace tilth
