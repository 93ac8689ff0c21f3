// The formulas of the yield prediction, with examples that were computed by hand.

#include <gtest/gtest.h>

#include "query/analytics/yield_formulas.h"

namespace tilth {
namespace {

std::string shown(const YieldFactor& factor) { return rounded(factor.multiplier, 4); }

std::string shown(const YieldEstimate& yields) {
  std::string text(name_of(yields.confidence));
  for (const auto& figure : {yields.lower, yields.predicted, yields.upper, yields.per_hectare}) {
    text.append(" ").append(rounded(figure, 3));
  }
  return text;
}

WaterBalance balance(int required, int applied, const char* ky, std::uint64_t irrigations = 2) {
  return {Fraction(required), applied, irrigations, exact(ky)};
}

TEST(Survival, IsTheVitalityOfTheStand) {
  EXPECT_EQ(shown(survival_factor({})), "1");
  EXPECT_EQ(shown(survival_factor({90, 6, 4})), "0.93");
  EXPECT_EQ(shown(survival_factor({0, 0, 4})), "0");
}

TEST(Soil, CostsAFifthForEachUnitOfPhAndAtMostThreeTenths) {
  const PhRange range{Fraction(6), Fraction(7)};
  EXPECT_EQ(shown(soil_factor({}, range)), "1");
  EXPECT_EQ(shown(soil_factor(exact("5.5"), {})), "1");
  EXPECT_EQ(shown(soil_factor(exact("6"), range)), "1");
  EXPECT_EQ(shown(soil_factor(exact("5.5"), range)), "0.9");
  EXPECT_EQ(shown(soil_factor(exact("8"), range)), "0.8");
  EXPECT_EQ(shown(soil_factor(exact("8.5"), range)), "0.7");
  EXPECT_EQ(shown(soil_factor(exact("12"), range)), "0.7");
}

TEST(Water, CostsByTheCropsResponseToWhatItLacked) {
  // 1 − 1.05 × (1 − 300/400)
  EXPECT_EQ(shown(water_factor(balance(400, 300, "1.05"))), "0.7375");
  EXPECT_EQ(shown(water_factor(balance(400, 500, "1.05"))), "1");
  EXPECT_EQ(shown(water_factor(balance(400, 0, "1.25"))), "0.3");
  EXPECT_EQ(shown(water_factor(balance(400, 100, "0"))), "1");
}

TEST(Water, CostsNothingWhereNothingIsKnownOrNeeded) {
  auto unknown = balance(400, 100, "1");
  unknown.required_mm.reset();
  EXPECT_EQ(shown(water_factor(unknown)), "1");
  EXPECT_EQ(shown(water_factor(balance(400, 0, "1", 0))), "1");
  EXPECT_EQ(shown(water_factor(balance(0, 0, "1"))), "1");
  EXPECT_EQ(shown(water_factor(balance(-3, 0, "1"))), "1");
}

TEST(Water, IsNeededInProportionToTheDays) {
  EXPECT_EQ(required_mm(600, 30, 120), 150);
  EXPECT_EQ(required_mm(600, 200, 120), 600);
  EXPECT_EQ(required_mm(600, 0, 120), 0);
}

TEST(OwnHistory, IsAllThatWasHarvestedOverAllThatItGrewOn) {
  EXPECT_FALSE(own_history({}));
  const auto base = own_history({{12, 2}, {9, 4}});  // not the mean of 6 and 2¼
  EXPECT_EQ(base->typical, Fraction(7, 2));
  EXPECT_EQ(base->own_crops, 2U);
}

TEST(Estimate, IsAsSureAsWhatItRestsOn) {
  // 4 t/ha on 5 ha, reduced by factors to 0.9: 18 t
  YieldBase base{.method = YieldMethod::kOwnHistory, .typical = 4, .own_crops = 3};
  const auto of = [](const YieldBase& on) { return shown(estimate(on, 5, exact("0.9"))); };
  EXPECT_EQ(of(base), "high 15.3 18 20.7 3.6");
  base.own_crops = 2;
  EXPECT_EQ(of(base), "medium 13.5 18 22.5 3.6");
  base.method = YieldMethod::kVariety;
  EXPECT_EQ(of(base), "medium 13.5 18 22.5 3.6");
  base.method = YieldMethod::kLibrary;
  EXPECT_EQ(of(base), "low 10.8 18 25.2 3.6");
  base.low = 2, base.high = 7;
  EXPECT_EQ(of(base), "low 9 18 31.5 3.6");
  base.high.reset();
  EXPECT_EQ(of(base), "low 10.8 18 25.2 3.6");
}

}  // namespace
}  // namespace tilth
