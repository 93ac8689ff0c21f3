#include "infra/bulk/row_spill_file.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

TEST(RowSpillFile, ReadsBackWhateverWasAppendedAlsoWhatIsNotWrittenYet) {
  const TemporaryDirectory directory;
  const auto made = RowSpillFile::make(directory.path());
  ASSERT_TRUE(made) << made.error().message;
  auto& spill = **made;
  std::vector<std::string> rows;
  std::vector<std::uint64_t> places;
  const auto expect_all = [&] {
    std::string bytes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      spill.read(places[i], rows[i].size(), bytes);
      EXPECT_EQ(bytes, rows[i]) << i;
    }
  };
  for (int i = 0; i < 40; ++i) {  // of 20 kB each, several pieces in all
    rows.emplace_back(20'000, static_cast<char>('a' + i % 26));
    const auto at = spill.append(rows.back());
    ASSERT_TRUE(at);
    places.push_back(*at);
    expect_all();
  }
}

}  // namespace
}  // namespace tilth::testing
