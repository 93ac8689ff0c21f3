#include "infra/rocksdb/stored_cursor.h"

#include <memory>

#include <gmock/gmock.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

class StoredCursorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    rocksdb::Options created;
    created.create_if_missing = true;
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(created, directory.path().string(), &opened).ok());
    db.reset(opened);
    for (const char* key : {"b", "d"}) ASSERT_TRUE(db->Put({}, key, "1").ok());
  }

  StoredCursor cursor() {
    return {*db, options, gaps, [](std::string_view) { return std::string("1"); }};
  }

  const TemporaryDirectory directory{TemporaryDirectory::memory()};
  const rocksdb::ReadOptions options;
  std::unique_ptr<rocksdb::DB> db;
  SeekCache gaps{10'000};
};

TEST_F(StoredCursorTest, LearnsThatNothingComesBehindTheLastKey) {
  auto first = cursor();
  first.seek("e");
  EXPECT_FALSE(first.valid());
  EXPECT_THAT(gaps.find("f"), ::testing::NotNull());
  auto second = cursor();
  second.seek("f");
  EXPECT_FALSE(second.valid());
  second.seek_for_prev("f");
  ASSERT_TRUE(second.valid());
  EXPECT_EQ(second.key(), "d");
  second.seek("f");  // from a key that it has read
  EXPECT_FALSE(second.valid());
  second.seek("c");
  EXPECT_EQ(second.key(), "d");
}

TEST_F(StoredCursorTest, ForgetsThatOnceALayerPutsAKeyThere) {
  cursor().seek("e");
  SharedMap layer;
  layer.put("g", "1");
  ASSERT_TRUE(db->Put({}, "g", "1").ok());
  gaps.apply(layer);
  auto after = cursor();
  after.seek("f");
  ASSERT_TRUE(after.valid());
  EXPECT_EQ(after.key(), "g");
}

}  // namespace
}  // namespace tilth::testing
