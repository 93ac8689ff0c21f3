// The simulation's judge of prices can fail: it computes them from the records itself.

#include "tests/simulation/plain_market.h"

#include <gtest/gtest.h>

#include "tests/simulation/judged.h"

namespace tilth::testing {
namespace {

// What five farms in Germany have reported: a ton for 1 to 5 euros, each as much.
class PlainPrices : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char number : {'1', '2', '3', '4', '5'}) {
      FarmDetails<Own> farm{.name = std::string(1, number), .total_area = Decimal(10)};
      farm.country = Country::stored("Germany");
      PriceReportDetails price{.crop_name = "Dates", .price = Decimal(number - '0')};
      price.unit = PriceUnit::kPerTon;
      price.currency = Currency::stored("EUR");
      price.observed_on = parsed<Date>("2026-02-20");
      const auto report = id<PriceReportId>(static_cast<char>(number - '1' + 'a'));
      judged.both({FarmRegistered{{id<FarmId>(number), {}, farm, kNow}},
                   PriceReported{{report, {id<FarmId>(number)}, price, kNow}, {}}});
    }
  }

  // Of the response with these prices.
  std::string wrong(const std::string& prices, std::uint64_t min_owners = 1) const {
    const auto ask = [&](const AskRegionalPrices&) {
      const std::string count = prices.empty() ? "0" : "1";
      return R"({"data":[)" + prices +
             R"(],"meta":{"country":"Germany","currency":"EUR","minSampleSize":5,"count":)" +
             count + "}}";
    };
    const PlainRates rates;
    const PlainMarket market({{"user_1", &judged.records()}}, kNow, rates);
    return market.wrong_in_prices(ask, min_owners);
  }
  static std::string dates_for(const std::string& average) {
    return R"({"cropName":"Dates","region":"germany","avgPrice":)" + average +
           R"(,"minPrice":1,"maxPrice":5,"currency":"EUR","unit":"per_ton","sampleSize":5,)" +
           R"("sources":{"userReported":5,"sales":0}})";
  }

  Judged judged;
};

TEST_F(PlainPrices, AreThoseOfEnoughFarms) {
  EXPECT_EQ(wrong(dates_for("3")), "");
  EXPECT_EQ(wrong(dates_for("2.9")), "Dates in Germany has another average");
  EXPECT_EQ(wrong(""), "the regional prices of Germany are said to be others");
}

TEST_F(PlainPrices, AreNotShownForTooFewOwners) {
  EXPECT_EQ(wrong("", 2), "");
  EXPECT_EQ(wrong(dates_for("3"), 2), "the regional prices of Germany are said to be others");
}

}  // namespace
}  // namespace tilth::testing
