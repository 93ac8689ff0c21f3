// The simulation's exchange rates are those that were published last.

#include "tests/simulation/plain_rates.h"

#include <gtest/gtest.h>

#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

TEST(PlainRates, ADayHasTheRateThatWasPublishedLastUntilThen) {
  PlainRates rates;
  rates.take({.source = "ECB",
              .days = {{parsed<Date>("2026-02-02"), {{Currency::stored("USD"), Decimal(2)}}},
                       {parsed<Date>("2026-02-04"), {{Currency::stored("USD"), Decimal(4)}}}},
              .imported_at = kThen});
  EXPECT_EQ(rates.on("EUR", "USD", parsed<Date>("2026-02-03")), Fraction(2));
  EXPECT_EQ(rates.on("USD", "EUR", parsed<Date>("2026-02-04")), Fraction(1, 4));
  EXPECT_EQ(rates.on("USD", "EUR", parsed<Date>("2026-02-01")), std::nullopt);
  EXPECT_EQ(rates.on("JPY", "JPY", parsed<Date>("2026-02-01")), Fraction(1));
}

}  // namespace
}  // namespace tilth::testing
