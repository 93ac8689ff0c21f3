#include "projections/finance/rate_changes.h"

#include "tests/fixtures/finance.h"

namespace tilth::testing {
namespace {

const Currency kDollar{"USD"}, kYen{"JPY"};

class Imports : public ::testing::Test {
 protected:
  void given(const ExchangeRatesImported& event) { fold_finance(store, event, kReferenceStream); }

  // The number of the last import that affects each of these years.
  std::string numbers() const {
    const auto changes = RateChanges::read({store, kReferenceStream, 0});
    std::string all;
    for (int year = 2022; year <= 2027; ++year) all += std::to_string(changes.last(year)) + " ";
    return all;
  }

  RowBatch store;
};

TEST_F(Imports, MatterToAllThatComesWhereNoRateFollows) {
  EXPECT_EQ(numbers(), "0 0 0 0 0 0 ");
  given(rate_imported(kDollar, "2024-05-01", "1.1"));
  EXPECT_EQ(numbers(), "0 0 1 1 1 1 ");
  given(rate_imported(kDollar, "2026-01-02", "1.2"));
  EXPECT_EQ(numbers(), "0 0 1 1 2 2 ");
}

TEST_F(Imports, MatterOnlyUntilTheCurrencysNextRate) {
  given(rate_imported(kDollar, "2026-01-01", "1.2"));
  given(rate_imported(kDollar, "2024-05-01", "1.1"));
  EXPECT_EQ(numbers(), "0 0 2 2 1 1 ");
  given(rate_imported(kDollar, "2022-05-01", "1.1"));
  EXPECT_EQ(numbers(), "3 3 3 2 1 1 ");
  given(rate_imported(kYen, "2023-05-01", "160"));
  EXPECT_EQ(numbers(), "3 4 4 4 4 4 ");
}

}  // namespace
}  // namespace tilth::testing
