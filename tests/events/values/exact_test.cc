// Fractions, and how they are rounded.

#include "events/values/exact.h"

#include <gtest/gtest.h>

#include "events/values/units.h"

namespace tilth {
namespace {

TEST(Exact, IsTheDecimalItself) {
  EXPECT_EQ(exact(*Decimal::parse("-0.00000001")), Fraction(-1, 100'000'000));
  EXPECT_EQ(exact(*Decimal::parse("123456789012345678.5")),
            Fraction(Integer("1234567890123456785"), 10));
  EXPECT_EQ(exact(Decimal()), 0);
  EXPECT_EQ(exact("0.000009290304"), Fraction(9'290'304, Integer("1000000000000")));
  EXPECT_EQ(exact("1500"), 1'500);
}

TEST(Exact, RoundsTheMiddleToTheEvenOne) {
  EXPECT_EQ(rounded(Fraction(1, 2), 0), "0");
  EXPECT_EQ(rounded(Fraction(3, 2), 0), "2");
  EXPECT_EQ(rounded(Fraction(5, 2), 0), "2");
  EXPECT_EQ(rounded(Fraction(-5, 2), 0), "-2");
  EXPECT_EQ(rounded(Fraction(-7, 2), 0), "-4");
  EXPECT_EQ(rounded(Fraction(1, 8), 2), "0.12");
  EXPECT_EQ(rounded(Fraction(3, 8), 2), "0.38");
}

TEST(Exact, RoundsByTheLeastRest) {
  const Fraction little(1, power_of_ten(60));
  EXPECT_EQ(rounded(Fraction(5, 2) + little, 0), "3");
  EXPECT_EQ(rounded(Fraction(5, 2) - little, 0), "2");
  EXPECT_EQ(rounded(Fraction(3, 2) - little, 0), "1");
}

TEST(Exact, WritesNumbersInCanonicalForm) {
  EXPECT_EQ(rounded(Fraction(25, 2), 3), "12.5");
  EXPECT_EQ(rounded(Fraction(1, 1'000), 3), "0.001");
  EXPECT_EQ(rounded(Fraction(1, 3), 3), "0.333");
  EXPECT_EQ(rounded(Fraction(2, 3), 3), "0.667");
  EXPECT_EQ(rounded(Fraction(100), 3), "100");
  EXPECT_EQ(rounded(Fraction(-1, 10'000), 3), "0");
  EXPECT_EQ(scaled_text(Integer(1'200), 0), "1200");
  EXPECT_EQ(scaled_text(power_of_ten(40), 2), "1" + std::string(38, '0'));
}

TEST(Units, AreWhatTheContractSays) {
  const auto in_hectares = [](AreaUnit unit) { return rounded(hectares(unit), 12); };
  EXPECT_EQ(in_hectares(AreaUnit::kHectare), "1");
  EXPECT_EQ(in_hectares(AreaUnit::kAcre), "0.40468564224");
  EXPECT_EQ(in_hectares(AreaUnit::kSquareMeter), "0.0001");
  EXPECT_EQ(in_hectares(AreaUnit::kSquareFoot), "0.000009290304");
  EXPECT_EQ(in_hectares(AreaUnit::kFeddan), "0.420083");
  EXPECT_EQ(in_hectares(AreaUnit::kDunam), "0.1");
  EXPECT_EQ(tons(Decimal(2'000), YieldUnit::kPound), Fraction(90'718'474, 100'000'000));
  EXPECT_EQ(tons(Decimal(3), YieldUnit::kTon), 3);
  EXPECT_EQ(cubic_meters(VolumeUnit::kLiter), Fraction(1, 1'000));
}

}  // namespace
}  // namespace tilth
