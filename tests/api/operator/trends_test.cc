// Trends keep an hour of figures.

#include "api/operator/trends.h"

#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilth {
namespace {

using ::testing::HasSubstr;

TEST(Trends, MeasureOnceMoreWhenTheyAreAsked) {
  double measured = 0;
  const Trends trends([&] { return Figures{{{"requests", "2xx"}, ++measured}}; });
  EXPECT_THAT(trends.json(), HasSubstr(R"("secondsAgo":[0)"));
  EXPECT_THAT(trends.json(), HasSubstr(R"({"name":"requests","of":"2xx","values":[2)"));
}

TEST(Trends, ShowNullWhereAFigureWasNotKnown) {
  Figures figures = {{{"lag", "registry"}, 3}};
  Trends trends([&] { return figures; });
  trends.sample();
  figures = {{{"memory", ""}, 7}};
  const auto json = trends.json();
  EXPECT_THAT(json, HasSubstr(R"({"name":"lag","of":"registry","values":[3)"));
  EXPECT_THAT(json, HasSubstr(R"(,null]},{"name":"memory","of":"","values":[null,7)"));
}

TEST(Trends, ForgetWhatIsOlderThanAnHour) {
  double measured = 0;
  Trends trends([&] { return Figures{{{"requests", ""}, ++measured}}; });
  const auto most = std::chrono::hours(1) / Trends::kEvery;
  for (int i = 0; i < most + 5; ++i) trends.sample();
  const auto json = trends.json();
  const auto values = json.substr(json.find("\"values\""));
  EXPECT_EQ(std::count(values.begin(), values.end(), ','), most);
  EXPECT_THAT(values, HasSubstr("[6"));
}

}  // namespace
}  // namespace tilth
