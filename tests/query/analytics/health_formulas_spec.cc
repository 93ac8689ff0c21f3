// The formulas of the health score, with examples that were computed by hand.

#include <gtest/gtest.h>

#include "query/analytics/health_formulas.h"

namespace tilth {
namespace {

std::string shown(const FactorScore& factor) {
  return factor.score ? rounded(*factor.score, 3) : "none";
}

PhRange range(const char* min, const char* max) {
  PhRange range;
  if (min != nullptr) range.min = exact(min);
  if (max != nullptr) range.max = exact(max);
  return range;
}

FieldSoil soil(int area, const char* ph, std::vector<PhRange> crops = {}) {
  return {area, exact(ph), std::move(crops)};
}

TEST(TaskTimeliness, WeighsTasksByPriority) {
  TasksByPriority tasks = {};
  EXPECT_EQ(shown(task_timeliness(tasks)), "none");
  tasks[0] = {1, 0, 0};  // low: ½ of ½
  tasks[1] = {0, 1, 0};  // medium: ½ of 1
  tasks[3] = {0, 0, 1};  // urgent: 0 of 2
  // (½ + ½) / (½ + 1 + 2) = 2/7
  EXPECT_EQ(shown(task_timeliness(tasks)), "28.571");
  EXPECT_EQ(task_timeliness(tasks).detail, "3 tasks due: 1 done in time, 1 late, 1 overdue.");
  tasks[2] = {2, 0, 0};                                // high: 3 of 3
  EXPECT_EQ(shown(task_timeliness(tasks)), "61.538");  // 4 / 6.5
}

TEST(PlantVitality, CountsASickPlantAsHalfOfOne) {
  EXPECT_EQ(shown(plant_vitality({})), "none");
  EXPECT_EQ(shown(plant_vitality({8, 1, 1})), "85");
  EXPECT_EQ(shown(plant_vitality({0, 0, 7})), "0");
  EXPECT_EQ(plant_vitality({1, 0, 0}).detail, "1 plant: 1 alive, 0 sick, 0 dead.");
}

TEST(PlantVitality, MoreThanATenthIsMany) {
  EXPECT_FALSE(many_are_dying({}));
  EXPECT_FALSE(many_are_dying({8, 1, 1}));
  EXPECT_TRUE(many_are_dying({7, 1, 1}));
}

TEST(SoilSuitability, FallsByFiftyForEachUnitOutside) {
  EXPECT_EQ(shown(soil_suitability({})), "none");
  EXPECT_EQ(shown(soil_suitability({soil(4, "6")})), "100");
  EXPECT_EQ(shown(soil_suitability({soil(4, "7.5")})), "100");
  EXPECT_EQ(shown(soil_suitability({soil(4, "7.9")})), "80");
  EXPECT_EQ(shown(soil_suitability({soil(4, "5.5")})), "75");
  EXPECT_EQ(shown(soil_suitability({soil(4, "3")})), "0");
}

TEST(SoilSuitability, IsThatOfTheWorstOffCrop) {
  const auto alfalfa = range("6.5", "8"), potato = range("4.8", "6.5");
  EXPECT_EQ(shown(soil_suitability({soil(4, "6.5", {alfalfa, potato})})), "100");
  EXPECT_EQ(shown(soil_suitability({soil(4, "7", {alfalfa, potato})})), "75");
  EXPECT_EQ(shown(soil_suitability({soil(4, "5", {alfalfa, potato})})), "25");
  EXPECT_EQ(shown(soil_suitability({soil(4, "13", {range("6", nullptr)})})), "100");
}

TEST(SoilSuitability, WeighsFieldsByArea) {
  // (3 × 100 + 1 × 50) / 4
  EXPECT_EQ(shown(soil_suitability({soil(3, "7"), soil(1, "5")})), "87.5");
}

TEST(IrrigationAdherence, IsAtMostWhatWasPlanned) {
  EXPECT_EQ(shown(irrigation_adherence(3, 0)), "none");
  EXPECT_EQ(shown(irrigation_adherence(2, 3)), "66.667");
  EXPECT_EQ(shown(irrigation_adherence(5, 3)), "100");
}

TEST(CropProgress, IsThePartThatNeitherFailedNorIsBehind) {
  EXPECT_EQ(shown(crop_progress({})), "none");
  EXPECT_EQ(shown(crop_progress({.all = 8, .failed = 1, .behind = 2})), "62.5");
}

TEST(HealthScore, IsTheMeanOfWhatIsKnown) {
  EXPECT_EQ(overall({{30, {}}, {25, {}}}), std::nullopt);
  // (30 × 80 + 10 × 50) / 40 = 72.5, between two: the even one
  const std::vector<WeightedScore> known = {{30, 80}, {25, {}}, {20, {}}, {15, {}}, {10, 50}};
  EXPECT_EQ(overall(known), 72);
  EXPECT_EQ(rounded(completeness(known), 2), "0.4");
  EXPECT_EQ(overall({{30, Fraction(200, 3)}, {10, 70}}), 68);  // 67.5
}

TEST(HealthScore, HasAGrade) {
  std::string grades;
  for (const std::int64_t score : {100, 85, 84, 70, 69, 50, 49, 30, 29, 0}) {
    grades.append(name_of(grade_of(score))).append(" ");
  }
  EXPECT_EQ(grades, "excellent excellent good good fair fair poor poor critical critical ");
}

}  // namespace
}  // namespace tilth
