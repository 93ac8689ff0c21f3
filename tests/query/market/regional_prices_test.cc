// Prices that are joined from several cells are those of one cell with everything.

#include "query/market/regional_prices.h"

#include <map>
#include <random>
#include <string>

#include "projections/fold/row_list.h"
#include "tests/fixtures/offers.h"

namespace tilth::testing {
namespace {

// Cells of the market as on one node or several, and one with everything.
class JoinedPrices : public ::testing::TestWithParam<std::size_t> {
 protected:
  JoinedPrices() : cells(GetParam()) {}

  std::string owner_of(int farm) const { return "user_" + std::to_string(farm); }
  std::size_t cell_of(int farm) const { return static_cast<std::size_t>(farm) % cells.size(); }

  void fold(const Event& event, int farm) {
    for (auto* rows : {&whole, &cells[cell_of(farm)]}) fold_into(*rows, event, owner_of(farm));
  }
  void fold_reference(const Event& event) {
    fold_into(whole, event, std::string(kReferenceStream));
    for (auto& rows : cells) fold_into(rows, event, std::string(kReferenceStream));
  }
  static void fold_into(RowBatch& rows, const Event& event, const std::string& stream) {
    MutableRows of_stream(rows, stream, 0);
    handlers_of("market").handle(of_stream, event);
  }
  static Rows of(const RowBatch& rows) { return {rows, kMarketStream, 0}; }

  static AskRegionalPrices asked(std::optional<std::string> crop = {}) {
    return {SpelledCountry::parse("Japan"), std::move(crop)};
  }
  std::string alone() {
    RegionalPricesQuestion question(std::make_shared<RegionalPrices>(min_owners), asked());
    for (int round = 0; round < 2; ++round) {
      const auto part = RegionalPricesQuestion::part(of(whole), question.ask(0, 1));
      const auto answer = question.join({*part}, of(whole));
      if (*answer) return **answer;
    }
    ADD_FAILURE() << "it never becomes exact";
    return {};
  }
  std::string joined(std::optional<std::string> crop = {}) {
    RegionalPricesQuestion question(kept, asked(std::move(crop)));
    for (rounds = 1; rounds <= 2; ++rounds) {
      std::vector<std::string> parts;
      bytes = 0;
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const auto ask = question.ask(cell, cells.size());
        parts.push_back(*RegionalPricesQuestion::part(of(cells[cell]), ask));
        bytes += parts.back().size();
      }
      const auto answer = question.join(parts, of(cells.front()));
      if (*answer) return **answer;
    }
    ADD_FAILURE() << "it never becomes exact";
    return {};
  }

  std::uint64_t min_owners = 1;
  RowBatch whole;
  std::vector<RowBatch> cells;
  std::shared_ptr<RegionalPrices> kept = std::make_shared<RegionalPrices>(min_owners);
  int rounds = 0;         // of the last question
  std::size_t bytes = 0;  // of its parts
};

TEST_P(JoinedPrices, ACropIsShownOnceEnoughFarmsOfAllCellsCount) {
  for (int farm = 1; farm <= 4; ++farm) {
    fold(in(kJapan, farm_number(farm)), farm);
    fold(seen(static_cast<char>('0' + farm), farm_number(farm), std::to_string(farm * 100)), farm);
  }
  EXPECT_EQ(joined().find("Wheat"), std::string::npos);
  fold(in(kJapan, farm_number(5)), 5);
  fold(seen('5', farm_number(5), "1000"), 5);
  EXPECT_NE(joined().find(R"("sampleSize":5)"), std::string::npos);
  EXPECT_EQ(joined(), alone());
  EXPECT_EQ(joined("wheat"), alone());
  EXPECT_EQ(joined("barley").find("Wheat"), std::string::npos);
}

TEST_P(JoinedPrices, ACellThatHasNotChangedSaysOnlyThat) {
  for (int farm = 1; farm <= 9; ++farm) {
    fold(in(kJapan, farm_number(farm)), farm);
    fold(seen(static_cast<char>('0' + farm), farm_number(farm), "100"), farm);
  }
  joined();
  const auto first = bytes;
  joined();
  EXPECT_LT(bytes, first / 2);
  fold(seen('a', farm_number(1), "900"), 1);
  EXPECT_EQ(joined(), alone());
  fold(PriceReportRemoved{id<PriceReportId>('a'), kNow}, 1);
  EXPECT_EQ(joined(), alone());
}

// Converted money is cut, and how an average is rounded can depend on what was cut from all.
TEST_P(JoinedPrices, AnAverageIsExactWhereverItsOffersLie) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    const auto pick = [&](int below) { return static_cast<int>(random() % below); };
    whole = RowBatch();
    for (auto& rows : cells) rows = RowBatch();
    for (int farm = 1; farm <= 9; ++farm) fold(in(kJapan, farm_number(farm)), farm);
    fold_reference(rate("2026-02-19", kYen, "3"));
    fold_reference(rate("2026-02-19", kDollar, "7"));
    std::map<char, int> farm_of;  // of each offer
    for (int step = 0; step < 60; ++step) {
      const char number = "0123456789abcdef"[pick(16)];
      if (const auto offered = farm_of.find(number); offered != farm_of.end()) {
        fold(PriceReportRemoved{id<PriceReportId>(number), kNow}, offered->second);
        farm_of.erase(offered);
      } else {
        const int farm = farm_of[number] = 1 + pick(9);
        const auto price = std::to_string(1 + pick(500)) + ".5";
        const auto& currency = pick(2) == 0 ? kYen : kDollar;
        fold(seen(number, farm_number(farm), price, "2026-02-20", currency), farm);
      }
      ASSERT_EQ(joined(), alone()) << "seed " << seed << ", step " << step;
    }
  }
}

// A third of each price: 27 thirds over six tons are 1.5, which is rounded to the even yen.
TEST_P(JoinedPrices, WhatWasCutIsAskedForOnlyWhereItDecides) {
  fold_reference(rate("2026-02-19", kYen, "1"));
  fold_reference(rate("2026-02-19", kDollar, "3"));
  int farm = 0;
  for (const auto* price : {"1", "2", "4", "5", "7", "8"}) {
    ++farm;
    fold(in(kJapan, farm_number(farm)), farm);
    const auto number = static_cast<char>('0' + farm);
    fold(seen(number, farm_number(farm), price, "2026-02-20", kDollar), farm);
  }
  EXPECT_NE(joined().find(R"("avgPrice":2)"), std::string::npos);
  EXPECT_EQ(rounds, 2);
  EXPECT_EQ(joined(), alone());
  EXPECT_EQ(rounds, 1) << "it is kept";
}

TEST_P(JoinedPrices, WhatAnotherReleaseSaysIsRefused) {
  RegionalPricesQuestion question(kept, asked());
  std::vector<std::string> parts;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    question.ask(cell, cells.size());
    parts.emplace_back(R"({"something":"else"})");
  }
  const auto answer = question.join(parts, of(whole));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(RegionalPricesQuestion::part(of(whole), "[]"));
}

// Nodes of other releases read and write it: members may be added here, never changed.
constexpr std::string_view kAsk =
    R"({"format":1,"country":"Japan","mark":"00ff","allCrops":true,"exactly":["Wheat"]})";
constexpr std::string_view kPart =
    R"({"format":1,"mark":"00ff","same":false,"crops":[{"crop":"Wheat","money":"12","tons":"34",)"
    R"("lowest":"5","highest":"6","cut":1,"farms":7,"reporting":6,"selling":2,"owners":3}],)"
    R"("cut":[{"crop":"Wheat","numerator":"1","denominator":"3"}]})";

TEST(CountryPart, IsReadByOtherReleasesAsFarAsTheyKnowIt) {
  EXPECT_EQ(written(*read_country_ask(kAsk)), kAsk);
  EXPECT_EQ(written(*read_country_part(kPart)), kPart);
  auto later = std::string(kPart);
  later.insert(1, R"("added":[1],)");
  EXPECT_EQ(written(*read_country_part(later)), kPart);
}

TEST(CountryPart, NumbersThatAreNoneAreRefused) {
  const auto reads = [](const std::string& from, const std::string& to) {
    auto json = std::string(kPart);
    json.replace(json.find(from), from.size(), to);
    return read_country_part(json).has_value();
  };
  EXPECT_TRUE(reads(R"("12")", R"("0012")"));
  EXPECT_FALSE(reads(R"("12")", R"("-12")"));
  EXPECT_FALSE(reads(R"("12")", R"("")"));
  EXPECT_FALSE(reads(R"("12")", '"' + std::string(70'000, '9') + '"'));
  EXPECT_FALSE(reads(R"("34")", R"("0")")) << "there are tons where there is a crop";
  EXPECT_FALSE(reads(R"("farms":7)", R"("farms":-7)"));
  EXPECT_FALSE(reads(R"("denominator":"3")", R"("denominator":"0")"));
  EXPECT_FALSE(reads(R"("format":1)", R"("format":2)"));
}

INSTANTIATE_TEST_SUITE_P(Cells, JoinedPrices, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace tilth::testing
