// An id that an import has twice is found, wherever its lines are.

#include "infra/embedded/unique_ids.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

class UniqueIdsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kAtOnce = 16;

  // Of no order of their own.
  static Uuid id(int number) {
    constexpr int kCount = 10'007;  // a prime
    Uuid id;
    const auto mixed = number * 7'919 % kCount;
    id.bytes[0] = static_cast<std::uint8_t>(mixed >> 8);
    id.bytes[15] = static_cast<std::uint8_t>(mixed);
    return id;
  }
  void add(int first, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(ids_.add(id(first + i), ++line_));
  }
  std::string repeat() {
    const auto found = ids_.find_repeat();
    if (!found) return found.error().message;
    if (!*found) return "none";
    return std::to_string((*found)->line) + " repeats " + std::to_string((*found)->earlier);
  }

  testing::TemporaryDirectory directory_;
  UniqueIds ids_{directory_.path(), kAtOnce};
  std::int64_t line_ = 0;
};

TEST_F(UniqueIdsTest, OfNothingIsNone) { EXPECT_EQ(repeat(), "none"); }

TEST_F(UniqueIdsTest, OfDifferentIdsIsNone) {
  add(0, 100);
  EXPECT_EQ(repeat(), "none");
}

TEST_F(UniqueIdsTest, AreFoundNextToEachOther) {
  add(0, 3), add(2, 1);
  EXPECT_EQ(repeat(), "4 repeats 3");
}

TEST_F(UniqueIdsTest, AreFoundInRunsThatAreFarApart) {
  add(0, 100), add(5, 1), add(100, 100);
  EXPECT_EQ(repeat(), "101 repeats 6");
}

TEST_F(UniqueIdsTest, AreNamedByTheFirstLineThatRepeats) {
  add(0, 50), add(40, 1), add(3, 1), add(40, 1);
  EXPECT_EQ(repeat(), "51 repeats 41");
}

TEST_F(UniqueIdsTest, AreRefusedIfTheDiskDoes) {
  UniqueIds nowhere(directory_.path() / "missing", kAtOnce);
  Status added = kDone;
  for (int i = 0; i < 16 && added; ++i) added = nowhere.add(id(i), i);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace tilth
