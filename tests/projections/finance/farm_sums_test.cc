#include "projections/finance/farm_sums.h"

#include <gmock/gmock.h>

#include "events/access/erasure.h"
#include "projections/fold/row_list.h"
#include "tests/fixtures/finance.h"

namespace tilth::testing {
namespace {

std::string text(Span span) {
  return span == Span::kYear ? "year" : span == Span::kMonth ? "month" : "day";
}

// In whole amounts, since "fuel 12.5" in hundred-millionths would be hard to read.
std::string text(const Sums& sums) {
  std::string all;
  for (const auto& [account, bookings, amount] : sums.accounts) {
    all += std::string(name_of(account.book)) + " " + std::to_string(account.category) + " " +
           account.currency.code + " " + std::to_string(bookings) + "× " +
           std::to_string(static_cast<long>(amount / Decimal(1).units())) + "; ";
  }
  return all;
}

class Books : public ::testing::Test {
 protected:
  Books() { fold_land(store); }

  template <class... E>
  void given(const E&... events) {
    (fold_finance(store, events), ...);
  }
  static std::string text(const std::vector<CalendarPeriod>& periods) {
    std::string all;
    for (const auto& period : periods) {
      all += testing::text(period.span) + " " + period.first.text() + "; ";
    }
    return all;
  }
  std::string years() const {
    const auto rows = this->rows();
    return text(FarmSums(rows, kFarm.farm_id).parts(CalendarPeriod::of(Span::kAllTime, {})));
  }
  std::string parts(Span span, std::string_view day) const {
    const auto rows = this->rows();
    return text(FarmSums(rows, kFarm.farm_id).parts(CalendarPeriod::of(span, parsed<Date>(day))));
  }
  std::string days(std::string_view from, std::string_view to) const {
    const auto rows = this->rows();
    return text(FarmSums(rows, kFarm.farm_id).days(parsed<Date>(from), parsed<Date>(to)));
  }
  std::string of(Span span, std::string_view day) const {
    const auto rows = this->rows();
    return testing::text(
        FarmSums(rows, kFarm.farm_id).of(CalendarPeriod::of(span, parsed<Date>(day))));
  }
  Rows rows() const { return {store, "user_1", 0}; }

  RowBatch store;
};

TEST_F(Books, AddUpDaysMonthsYearsAndAllTime) {
  given(spent('1', "10", "2025-03-31"), spent('2', "5", "2025-04-01"),
        overhead('3', "7", "2025-04-01"), sold('4', "100", "2024-04-01"));
  EXPECT_EQ(of(Span::kDay, "2025-03-31"), "expenses 4 EUR 1× 10; ");
  EXPECT_EQ(of(Span::kMonth, "2025-04-30"), "expenses 4 EUR 1× 5; overheads 2 EUR 1× 7; ");
  EXPECT_EQ(of(Span::kYear, "2025-01-01"), "expenses 4 EUR 2× 15; overheads 2 EUR 1× 7; ");
  EXPECT_EQ(of(Span::kYear, "2024-12-31"), "revenue 0 EUR 1× 100; ");
  EXPECT_EQ(of(Span::kAllTime, "2026-01-01"),
            "revenue 0 EUR 1× 100; expenses 4 EUR 2× 15; overheads 2 EUR 1× 7; ");
}

TEST_F(Books, KnowTheirYearsMonthsAndDays) {
  given(spent('4', "1", "2025-01-01"), spent('2', "1", "2024-02-29"), spent('1', "1", "2023-12-31"),
        spent('3', "1", "2024-03-31"), spent('5', "1", "2024-03-31"));
  EXPECT_EQ(years(), "year 2023-01-01; year 2024-01-01; year 2025-01-01; ");
  EXPECT_EQ(parts(Span::kYear, "2024-05-05"), "month 2024-02-01; month 2024-03-01; ");
  EXPECT_EQ(parts(Span::kMonth, "2024-03-05"), "day 2024-03-31; ");
  EXPECT_EQ(days("2024-02-29", "2024-12-31"), "day 2024-02-29; day 2024-03-31; ");
  given(ExpenseRemoved{{id<ExpenseId>('2'), kNow}}, ExpenseRemoved{{id<ExpenseId>('3'), kNow}});
  EXPECT_EQ(years(), "year 2023-01-01; year 2024-01-01; year 2025-01-01; ");
  given(ExpenseRemoved{{id<ExpenseId>('5'), kNow}});
  EXPECT_EQ(years(), "year 2023-01-01; year 2025-01-01; ");
}

TEST_F(Books, KnowNothingMoreOfWhatWasRemoved) {
  const auto before = store.changes();
  given(spent('1', "10", "2025-03-31"), overhead('2', "7", "2025-03-31"),
        sold('3', "100", "2025-03-31"));
  given(ExpenseRemoved{{id<ExpenseId>('1'), kNow}}, OverheadRemoved{{id<OverheadId>('2'), kNow}});
  EXPECT_EQ(of(Span::kYear, "2025-01-01"), "revenue 0 EUR 1× 100; ");
  given(SaleRemoved{{id<SaleId>('3'), kNow}}, SaleRemoved{{id<SaleId>('3'), kNow}});
  EXPECT_EQ(store.changes(), before);
}

TEST_F(Books, LoseWhatGoesWithACrop) {
  given(spent('1', "10", "2025-03-31", {.crop_id = kCrop.crop_id}), sold('2', "100", "2025-03-31"),
        spent('3', "1", "2025-03-31", {.field_id = kField.field_id}),
        spent('4', "2", "2025-03-31"));
  given(CropRemoved{kCrop.crop_id, kNow});
  EXPECT_EQ(of(Span::kYear, "2025-01-01"), "expenses 4 EUR 2× 3; ");
}

TEST_F(Books, LoseWhatGoesWithAFieldAndItsCrops) {
  given(spent('1', "10", "2025-03-31", {.crop_id = kCrop.crop_id}), sold('2', "100", "2025-03-31"),
        spent('3', "1", "2025-03-31", {.field_id = kField.field_id}),
        spent('4', "2", "2025-03-31"));
  given(FieldRemoved{kField.field_id, kNow});
  EXPECT_EQ(of(Span::kYear, "2025-01-01"), "expenses 4 EUR 1× 2; ");
}

TEST_F(Books, AreGoneWithTheirFarm) {
  given(spent('1', "10", "2025-03-31", {.crop_id = kCrop.crop_id}), sold('2', "100", "2025-03-31"),
        spent('3', "1", "2025-03-31", {.field_id = kField.field_id}),
        overhead('4', "2", "2025-03-31"));
  given(FarmRemoved{kFarm.farm_id, kNow});
  EXPECT_EQ(store.changes(), RowBatch::Changes{});
}

TEST_F(Books, AreGoneWithTheirOwner) {
  given(farm_registered({id<FarmId>('c')}, "Second farm"));
  fold_finance(store, farm_registered({id<FarmId>('d')}, "Another owner's"), "user_2");
  given(spent('1', "10", "2025-03-31", {.crop_id = kCrop.crop_id}), sold('2', "100", "2025-03-31"),
        overhead('3', "2", "2025-03-31"));
  given(RecordsErased{kNow});
  RowBatch others;
  fold_finance(others, farm_registered({id<FarmId>('d')}, "Another owner's"), "user_2");
  EXPECT_EQ(store.changes(), others.changes());
}

TEST_F(Books, LoseTheSameHoweverOftenARemovalIsBegunAgain) {
  for (char digit = '1'; digit <= '8'; ++digit) {
    given(spent(digit, "10", "2025-03-0" + std::string(1, digit), {.crop_id = kCrop.crop_id}));
  }
  given(overhead('9', "7", "2025-03-03"));
  MutableRows rows(store, "user_1", 0);
  handlers_of("finance").handle(rows, FieldRemoved{{kField.field_id, kNow}});
  const auto kept = Cascade::encode(rows.cascade());
  bool finished = false;
  for (int crashes = 0; !finished; ++crashes) {
    Cascade cascade(Cascade::decode(kept));
    for (int i = 0; i < crashes && !finished; ++i) finished = cascade.advance(rows, 2);
  }
  EXPECT_EQ(of(Span::kYear, "2025-01-01"), "overheads 2 EUR 1× 7; ");
  EXPECT_EQ(of(Span::kMonth, "2025-03-01"), "overheads 2 EUR 1× 7; ");
  EXPECT_EQ(of(Span::kDay, "2025-03-05"), "");
}

}  // namespace
}  // namespace tilth::testing
