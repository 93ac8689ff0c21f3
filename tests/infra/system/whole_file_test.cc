#include "infra/system/whole_file.h"

#include <iterator>

#include <gtest/gtest.h>

#include "tests/fixtures/power_cut_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

TEST(WholeFile, IsReplacedWholeAndLeavesNothingBeside) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  ASSERT_TRUE(write_whole_file(path, "former", 0644));
  ASSERT_TRUE(write_whole_file(path, "new", 0600));
  EXPECT_EQ(**read_whole_file(path), "new");
  const auto entries = std::filesystem::directory_iterator(directory.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(WholeFile, KeepsTheFormerContentWhenItCannotBeWritten) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  ASSERT_TRUE(write_whole_file(path, "former", 0644));
  std::filesystem::create_directory(directory.path() / "file.new");
  EXPECT_FALSE(write_whole_file(path, "new", 0644));
  EXPECT_EQ(**read_whole_file(path), "former");
}

TEST(WholeFile, IsTheFormerOneOrTheNewOneWhenThePowerGoes) {
  const testing::TemporaryDirectory directory(testing::TemporaryDirectory::memory());
  const auto file = directory.path() / "file";
  bool has_former = false, has_new = false;
  testing::hit_each_sync(directory.path(), testing::AtSync::kLosesPower,
                         {.work =
                              [&] {
                                has_former = bool(write_whole_file(file, "former", 0600));
                                has_new = bool(write_whole_file(file, "new", 0600));
                              },
                          .check =
                              [&] {
                                const auto found = read_whole_file(file);
                                ASSERT_TRUE(found);
                                const auto content = found->value_or("");
                                EXPECT_TRUE(content == "new" || (content == "former" && !has_new) ||
                                            (content.empty() && !has_former))
                                    << content;
                              }});
}

}  // namespace
}  // namespace tilth
