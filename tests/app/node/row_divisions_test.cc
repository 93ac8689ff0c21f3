// Rows of another division are removed, and no others, whatever cannot be removed.

#include "app/node/row_divisions.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

class RowDivisionsTest : public ::testing::Test {
 protected:
  void make(const Names& folders) {
    for (const auto& name : folders) fs::create_directories(directory_.path() / name / "1");
  }
  // How a start ends that finds these folders.
  RemovedRows remove(const std::vector<std::string>& titles, bool divided = false) {
    return remove_other_divisions(directory_.path(), "registry", titles, divided,
                                  [this](const fs::path& folder) {
                                    if (stay_.contains(folder.filename().string())) {
                                      return std::make_error_code(std::errc::permission_denied);
                                    }
                                    fs::remove_all(folder);
                                    return std::error_code();
                                  });
  }
  Names there() const {
    Names names;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  testing::TemporaryDirectory directory_;
  Names stay_;  // cannot be removed
};

const std::vector<std::string> kTwo = {"registry.0", "registry.1"};

TEST_F(RowDivisionsTest, KeepsThoseOfThisDivisionAndOfOthersProjections) {
  make({"registry.0", "registry.1", "registry.x", "finance.7", "registryx"});
  const auto before = there();
  EXPECT_FALSE(remove(kTwo).any);
  EXPECT_EQ(there(), before);
}

TEST_F(RowDivisionsTest, RemovesAllOfAnotherDivision) {
  for (const auto& others :
       {Names{"registry"}, Names{"registry.0"}, Names{"registry.0", "registry.1", "registry.2"}}) {
    make(others);
    const auto removed = remove(kTwo);
    EXPECT_TRUE(removed.any);
    EXPECT_TRUE(removed.left.empty());
    EXPECT_EQ(there(), Names());
  }
}

TEST_F(RowDivisionsTest, KeepsTheCellsOfANodeThatHoldsAPart) {
  make({"registry.1"});
  EXPECT_FALSE(remove(kTwo, true).any);
  EXPECT_EQ(there(), Names{"registry.1"});
  make({"registry.2"});
  EXPECT_TRUE(remove(kTwo, true).any);
  EXPECT_EQ(there(), Names());
}

TEST_F(RowDivisionsTest, KeepsWhatIsFoldedSinceIfAnotherFolderCannotBeRemoved) {
  make({"registry.0", "registry.1", "registry.2", "registry.3"});
  stay_ = {"registry.3"};
  const auto first = remove(kTwo);
  EXPECT_TRUE(first.any);
  EXPECT_EQ(there(), stay_);
  make({"registry.0", "registry.1"});  // they are folded again
  const auto next = remove(kTwo);
  EXPECT_FALSE(next.any);
  ASSERT_EQ(next.left.size(), 1U);
  EXPECT_EQ(next.left[0].first.filename(), "registry.3");
  EXPECT_EQ(there(), (Names{"registry.0", "registry.1", "registry.3"}));
}

TEST_F(RowDivisionsTest, DoesNothingBeforeTheFirstStart) {
  EXPECT_FALSE(remove(kTwo).any);
  fs::remove_all(directory_.path());
  EXPECT_FALSE(remove(kTwo).any);
}

}  // namespace
}  // namespace tilth
