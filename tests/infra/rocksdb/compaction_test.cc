#include "infra/rocksdb/compaction.h"

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "infra/rocksdb/rocks_options.h"
#include "tests/fixtures/bytes_in_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

struct CompactRangeTest : ::testing::Test {
  std::unique_ptr<rocksdb::DB> open(const std::filesystem::path& path) const {
    auto options = shared_options(memory);
    options.compression = rocksdb::kNoCompression;
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, path.string(), &opened).ok());
    return std::unique_ptr<rocksdb::DB>(opened);
  }

  const TemporaryDirectory directory;
  const RocksMemory memory{1 << 20, 1 << 20};
};

TEST_F(CompactRangeTest, WaitsUntilWhatItReplacesIsRemoved) {
  const auto db = open(directory.path());
  ASSERT_TRUE(db);
  rocksdb::WriteOptions to_tables_only;
  to_tables_only.disableWAL = true;
  ASSERT_TRUE(db->Put(to_tables_only, "apple", "Ada").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  std::unique_ptr<rocksdb::Iterator> reader(db->NewIterator({}));  // which keeps the file
  ASSERT_TRUE(db->Delete(to_tables_only, "apple").ok());
  ASSERT_TRUE(db->Flush({}).ok());

  int looks = 0;
  EXPECT_TRUE(compact_range(*db, "a", "b", [&] { return ++looks < 3; }).IsIncomplete());
  EXPECT_EQ(count_in_files(directory.path(), "Ada"), 1U);
  reader.reset();
  EXPECT_TRUE(compact_range(*db, "a", "b", [] { return true; }).ok());
  EXPECT_EQ(count_in_files(directory.path(), "Ada"), 0U);
}

TEST_F(CompactRangeTest, FailsWhereItCannotSeeWhatIsLeft) {
  const auto path = directory.path() / "rows";
  const auto db = open(path);
  ASSERT_TRUE(db);
  std::filesystem::rename(path, directory.path() / "elsewhere");
  EXPECT_TRUE(compact_range(*db, "a", "b", [] { return true; }).IsIOError());
}

}  // namespace
}  // namespace tilth::testing
