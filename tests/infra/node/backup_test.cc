#include "infra/node/backup.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/system/whole_file.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

TEST(Restore, TellsHowFarItIs) {
  const testing::TemporaryDirectory directory;
  const auto log = directory.path() / "log", rows = directory.path() / "rows";
  ASSERT_TRUE(write_whole_file(log, std::string(3'000, 'l'), 0600));
  ASSERT_TRUE(write_whole_file(rows, std::string(5'000, 'r'), 0600));
  const auto backup = directory.path() / "backup";
  const auto bytes = back_up(backup, {copy_of_file(log), copy_of_file(rows)});
  ASSERT_TRUE(bytes);
  std::vector<std::pair<std::uintmax_t, std::uintmax_t>> told;
  const auto fresh = directory.path() / "fresh";
  ASSERT_TRUE(
      restore(backup, fresh, [&](auto copied, auto total) { told.emplace_back(copied, total); }));
  ASSERT_EQ(told.size(), 3U) << "the two files, and the description of the backup";
  EXPECT_LT(told[0].first, told[1].first);
  EXPECT_LT(told[1].first, told[2].first);
  EXPECT_EQ(told[2], std::pair(*bytes, *bytes));
  EXPECT_EQ(*read_whole_file(fresh / "rows"), *read_whole_file(rows));
}

}  // namespace
}  // namespace tilth
