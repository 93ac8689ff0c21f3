#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "infra/rocksdb/rocks_options.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

bool is_in_a_file(const fs::path& directory, const std::string& word) {
  return std::ranges::any_of(fs::directory_iterator(directory), [&](const auto& entry) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return entry.path().extension() == ".sst" && bytes.find(word) != bytes.npos;
  });
}

TEST(CompactRange, WaitsUntilWhatItReplacesIsRemoved) {
  const TemporaryDirectory directory;
  const RocksMemory memory{1 << 20, 1 << 20};
  auto options = shared_options(memory);
  options.compression = rocksdb::kNoCompression;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory.path().string(), &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  ASSERT_TRUE(db->Put({}, "apple", "Ada").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  std::unique_ptr<rocksdb::Iterator> reader(db->NewIterator({}));  // which keeps the file
  ASSERT_TRUE(db->Delete({}, "apple").ok());
  ASSERT_TRUE(db->Flush({}).ok());

  int looks = 0;
  EXPECT_TRUE(compact_range(*db, "a", "b", [&] { return ++looks < 3; }).IsIncomplete());
  EXPECT_TRUE(is_in_a_file(directory.path(), "Ada"));
  reader.reset();
  EXPECT_TRUE(compact_range(*db, "a", "b", [] { return true; }).ok());
  EXPECT_FALSE(is_in_a_file(directory.path(), "Ada"));
}

}  // namespace
}  // namespace tilth::testing
