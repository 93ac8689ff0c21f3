// The stored sums of offers do not depend on what was added and removed before, or in which order.

#include "projections/market/market.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "projections/fold/row_list.h"
#include "projections/market/country_prices.h"
#include "tests/fixtures/offers.h"

namespace tilth::testing {
namespace {

AdminCropDescribed described(char crop, std::string name) {
  return {id<AdminCropId>(crop), {.name = std::move(name)}, {}, kThen};
}

SaleRecorded sold(char number, const FarmPath& at) {
  SaleRecorded sale;
  sale.id = id<SaleId>(number);
  sale.where = {id<CropId>(number), at.farm_id};
  sale.details = {.quantity = Decimal(1),
                  .unit = YieldUnit::kTon,
                  .price_per_unit = Decimal(100),
                  .currency = kYen,
                  .sale_date = parsed<Date>("2026-02-20")};
  sale.recorded_at = kNow;
  sale.total_amount = Decimal(100);
  return sale;
}

class MarketRows : public ::testing::Test {
 protected:
  template <class... E>
  MarketRows& after(const E&... events) {
    (fold(events), ...);
    return *this;
  }
  void fold(const Event& event, std::string_view stream = "user_1") {
    MutableRows rows(store, stream, 0);
    handlers_of("market").handle(rows, event);
  }
  void five() {
    for (int i = 1; i <= 5; ++i) {
      after(in(kJapan, farm_number(i)), seen(static_cast<char>('0' + i), farm_number(i), "100"));
    }
  }
  void age(std::string_view now) {
    MutableRows rows(store, kMarketStream, 0);
    while (!age_market(rows, parsed<Timestamp>(now), 2)) {
    }
  }
  Rows rows() const { return {store, kMarketStream, 0}; }

  // Everything that is stored, aged to the same instant.
  std::string kept() {
    age("2026-03-01T06:30:00Z");
    std::string all;
    for (const auto& [key, value] : store.changes()) {
      if (value) all.append(key).append(*value);
    }
    return all;
  }

  // "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100"
  std::string prices(const Country& country = kJapan) const {
    std::string text;
    for_each_crop(rows(), country.name, Crops::kShown, [&](const CropPrices& crop) {
      const auto cut = cut_from(rows(), country.name, crop.crop_name);
      const auto average = crop.sums.average(0).value_or(crop.sums.average(0, cut));
      text += crop.crop_name + " " + std::to_string(crop.sums.farms) + " farms, " +
              std::to_string(crop.sums.reporting) + " reporting, " +
              std::to_string(crop.sums.selling) + " selling: " + average.str() + " " +
              crop.lowest.str() + "-" + crop.highest.str();
    });
    return text;
  }

  RowBatch store;
};

TEST_F(MarketRows, FourFarmsMakeNoPrice) {
  for (int i = 1; i <= 4; ++i) {
    after(in(kJapan, farm_number(i)), seen(static_cast<char>('0' + i), farm_number(i), "100"),
          seen(static_cast<char>('a' + i), farm_number(i), "300"));
  }
  EXPECT_EQ(prices(), "");
  after(in(kJapan, farm_number(5)), seen('5', farm_number(5), "1000"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 289 100-1000");
  after(PriceReportRemoved{id<PriceReportId>('5'), kNow});
  EXPECT_EQ(prices(), "");
}

TEST_F(MarketRows, OwnersAreCountedWhateverTheNumberOfTheirFarms) {
  const auto owners = [&] {
    std::uint64_t counted = 0;
    for_each_crop(rows(), kJapan.name, Crops::kShown,
                  [&](const CropPrices& crop) { counted = crop.sums.owners; });
    return counted;
  };
  five();
  EXPECT_EQ(owners(), 1U);
  fold(in(kJapan, farm_number(6)), "user_2");
  fold(seen('6', farm_number(6), "100"), "user_2");
  fold(seen('7', farm_number(6), "200"), "user_2");
  EXPECT_EQ(owners(), 2U);
  fold(PriceReportRemoved{id<PriceReportId>('6'), kNow}, "user_2");
  EXPECT_EQ(owners(), 2U);
  fold(FarmRemoved{farm_number(6).farm_id, kNow}, "user_2");
  EXPECT_EQ(owners(), 1U);
}

TEST_F(MarketRows, NothingIsLeftOfWhatWentAgain) {
  after(in(kJapan, farm_number(1)));
  const auto before = store.changes().size();
  after(seen('1', farm_number(1), "100"), PriceReportRemoved{id<PriceReportId>('1'), kNow});
  std::size_t left = 0;
  for (const auto& [key, value] : store.changes()) left += value ? 1 : 0;
  EXPECT_LE(left, before + 1);  // the time as of which prices hold
  EXPECT_EQ(prices_mark(rows(), kJapan.name), "");
}

TEST_F(MarketRows, TheMarkIsTheSameWhateverTheWay) {
  five();
  const auto mark = prices_mark(rows(), kJapan.name);
  after(seen('6', farm_number(1), "5"));
  EXPECT_NE(prices_mark(rows(), kJapan.name), mark);
  after(PriceReportRemoved{id<PriceReportId>('6'), kNow});
  EXPECT_EQ(prices_mark(rows(), kJapan.name), mark);
}

TEST_F(MarketRows, AnOfferEntersOnItsDayAndLeavesAYearLater) {
  five();
  EXPECT_TRUE(prices_are_current(rows(), parsed<Timestamp>("2027-02-19T23:59:59Z")));
  EXPECT_FALSE(prices_are_current(rows(), parsed<Timestamp>("2027-02-20T00:00:00Z")));
  after(seen('6', farm_number(1), "400", "2026-03-09"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
  EXPECT_FALSE(prices_are_current(rows(), parsed<Timestamp>("2026-03-09T00:00:00Z")));
  age("2026-03-09T00:00:00Z");
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 150 100-400");
  age("2027-02-20T00:00:00Z");
  EXPECT_EQ(prices(), "");
  EXPECT_TRUE(prices_are_current(rows(), parsed<Timestamp>("2027-03-08T00:00:00Z")));
  age("2027-03-09T00:00:00Z");
  EXPECT_TRUE(
      prices_are_current(rows(), parsed<Timestamp>("2099-01-01T00:00:00Z")));  // no offer is left
}

TEST_F(MarketRows, ALateRateCountsForTheDaysOnWhichItApplies) {
  five();
  for (int i = 1; i <= 5; ++i) {
    after(seen(static_cast<char>('a' + i), farm_number(i), "3", "2026-02-21", kDollar));
  }
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
  after(rate("2026-02-20", kDollar, "3"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
  after(rate("2026-02-19", kYen, "500"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 300 100-500");
  after(rate("2026-02-22", kDollar, "1"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 300 100-500");
  after(rate("2026-02-21", kDollar, "1"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 800 100-1500");
}

TEST_F(MarketRows, ARateDoesNotCountBeforeItsDay) {
  after(rate("2026-02-19", kYen, "100"), rate("2026-02-20", kDollar, "1"),
        rate("2026-02-22", kDollar, "2"));
  for (int i = 1; i <= 5; ++i) {
    after(in(kJapan, farm_number(i)),
          seen(static_cast<char>('0' + i), farm_number(i), "3", "2026-02-21", kDollar));
  }
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 300 300-300");
}

TEST_F(MarketRows, OffersFollowTheLibraryToAnotherNameAndBack) {
  five();
  after(described('7', "WHEAT"));
  EXPECT_EQ(prices(), "WHEAT 5 farms, 5 reporting, 0 selling: 100 100-100");
  after(described('7', "Barley"));
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
  after(described('7', "wheat"));
  EXPECT_EQ(prices(), "wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
}

TEST_F(MarketRows, OffersFollowTheLibraryByWhatTheirCropsAreNow) {
  const auto sell = [this](const CropDetails<Own>& details) {
    for (char number = '1'; number <= '5'; ++number) {
      const auto farm = farm_number(number - '0');
      auto crop = crop_registered({id<CropId>(number)}, {farm.farm_id, kField.field_id});
      crop.details = details;
      after(in(kJapan, farm), crop, sold(number, farm));
    }
  };
  const auto amend = [this](const CropDetails<Patch>& changes) {
    for (char number = '1'; number <= '5'; ++number) {
      after(CropAmended{id<CropId>(number), changes, kThen});
    }
  };
  sell({.crop_type = "Wheat"});
  EXPECT_EQ(prices(), "Wheat 5 farms, 0 reporting, 5 selling: 100 100-100");
  after(described('7', "Durum"));
  amend({.admin_crop_id = {id<AdminCropId>('7')}});
  EXPECT_EQ(prices(), "Durum 5 farms, 0 reporting, 5 selling: 100 100-100");
  after(described('7', "Hard wheat"));
  EXPECT_EQ(prices(), "Hard wheat 5 farms, 0 reporting, 5 selling: 100 100-100");
  amend({.crop_type = {"Barley"}, .admin_crop_id = null<AdminCropId>()});
  EXPECT_EQ(prices(), "Barley 5 farms, 0 reporting, 5 selling: 100 100-100");
  after(described('8', "BARLEY"));
  EXPECT_EQ(prices(), "BARLEY 5 farms, 0 reporting, 5 selling: 100 100-100");
  const auto last = kept();
  store = RowBatch();
  after(described('7', "Hard wheat"), described('8', "BARLEY"));
  sell({.crop_type = "Barley"});
  EXPECT_TRUE(kept() == last);
}

TEST_F(MarketRows, MoreThanAMomentsWorkIsLeftForAnyoneWhoLooks) {
  five();
  for (int i = 0; i < 300; ++i) {
    auto report = seen('1', farm_number(1), "100");
    report.id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
    report.id.uuid.bytes[1] = static_cast<std::uint8_t>(1 + i / 256);
    after(report);
  }
  FarmAmended moved{farm_number(1).farm_id, {}, kNow};
  moved.changes.country.to = std::optional(Country{"Kuwait"});
  after(moved);
  EXPECT_FALSE(prices_are_current(rows(), kNow));
  age("2026-03-01T06:30:00Z");
  EXPECT_TRUE(prices_are_current(rows(), kNow));
  EXPECT_EQ(prices(), "");
  moved.changes.country.to = std::optional(kJapan);
  after(moved);
  age("2026-03-01T06:30:00Z");
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
}

TEST_F(MarketRows, WhatIsRemovedTakesItsOffersAlong) {
  five();
  after(FarmRemoved{farm_number(2).farm_id, kNow});
  EXPECT_EQ(prices(), "");
  EXPECT_TRUE(prices_are_current(rows(), kNow));
}

TEST_F(MarketRows, AFieldThatIsRemovedTakesTheSalesOfItsCropsAlong) {
  for (char number = '1'; number <= '5'; ++number) {
    const auto farm = farm_number(number - '0');
    const FieldPath field{farm.farm_id, id<FieldId>(number)};
    after(in(kJapan, farm), crop_registered({id<CropId>(number)}, field), sold(number, farm));
  }
  EXPECT_EQ(prices(), "Dates 5 farms, 0 reporting, 5 selling: 100 100-100");
  after(FieldRemoved{id<FieldId>('2'), kNow});
  EXPECT_EQ(prices(), "");
}

// The upper bound of the keys that begin with such an id is greater in an earlier byte.
TEST_F(MarketRows, AFarmMovesWhateverItsIdEndsIn) {
  for (const std::size_t last : {1, 2, 16}) {
    store = RowBatch();
    five();
    FarmPath at = farm_number(1);
    std::fill_n(at.farm_id.uuid.bytes.rbegin(), last, std::uint8_t{0xFF});
    after(in(kJapan, at), seen('6', at, "400"));
    EXPECT_EQ(prices(), "Wheat 6 farms, 6 reporting, 0 selling: 150 100-400");
    FarmAmended moved{at.farm_id, {}, kNow};
    moved.changes.country.to = std::optional(Country{"Kuwait"});
    after(moved);
    EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 100 100-100");
  }
}

// Streams of several partitions may come in any order relative to one another.
TEST_F(MarketRows, AreTheSameInWhateverOrderStreamsCame) {
  const auto wheat = described('7', "WHEAT");
  const auto yen = rate("2026-02-19", kYen, "500"), dollar = rate("2026-02-19", kDollar, "3");
  const auto foreign = seen('6', farm_number(3), "7", "2026-02-25", kDollar);
  five();
  after(foreign, yen, dollar, wheat);
  const auto first = kept(), shown = prices();
  store = RowBatch();
  after(wheat, yen, dollar);
  five();
  after(foreign);
  EXPECT_EQ(prices(), shown);
  EXPECT_TRUE(kept() == first);
}

TEST(PriceSums, AreRoundedRightWhereWhatWasCutMatters) {
  const auto ten = [](int power) { return power_of_ten(power); };
  // 1.5 less what was cut: a third of the last digit, three times
  PriceSums sums{.money = 3 * ten(kMoneyDigits) / 2 - 1, .tons = ten(kTonDigits), .cut = 3};
  EXPECT_EQ(sums.average(0), std::nullopt);
  EXPECT_EQ(sums.average(0, 1), 2);  // exactly halfway: to the even one
  EXPECT_EQ(sums.average(0, Fraction(999, 1'000)), 1);
  EXPECT_EQ(sums.average(0, Fraction(1'001, 1'000)), 2);
  sums.money -= ten(9);
  EXPECT_EQ(sums.average(0), Integer(1));
}

TEST_F(MarketRows, APriceOfLessThanHalfAMinorUnitIsNone) {
  for (int i = 1; i <= 5; ++i) {
    after(in(kJapan, farm_number(i)), seen(static_cast<char>('0' + i), farm_number(i), "0.4"));
  }
  EXPECT_EQ(prices(), "Wheat 5 farms, 5 reporting, 0 selling: 0 0-0");
}

TEST(PriceSums, AddUp) {
  PriceSums here{.money = 5, .tons = 2, .cut = 1, .farms = 4, .reporting = 3, .selling = 2};
  here += {.money = 1, .tons = 1, .cut = 0, .farms = 1, .reporting = 1, .selling = 0};
  EXPECT_EQ(here.money, 6);
  EXPECT_EQ(here.farms, 5U);
  EXPECT_EQ(here.selling, 2U);
}

}  // namespace
}  // namespace tilth::testing
