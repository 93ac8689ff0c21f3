#include "query/finance/financial_summary.h"
#include "tests/fixtures/finance.h"

namespace tilth::testing {
namespace {

const Currency kDollar{"USD"};

class Summary : public ::testing::Test {
 protected:
  Summary() {
    fold_land(store);
    FarmDetails<Patch> changes;
    changes.currency = {kEuro};
    given(FarmAmended{kFarm.farm_id, changes, kThen});
  }

  template <class... E>
  void given(const E&... events) {
    (commit(events, "user_1"), ...);
  }
  void given_rate(std::string_view day, std::string_view dollars, std::string source = "ECB") {
    commit(rate_imported(kDollar, day, dollars, std::move(source)), kReferenceStream);
  }
  // Commits as a projector does, whose readers cache derived values.
  void commit(const auto& event, std::string_view stream) {
    const RowReader& before = store;
    RowBatch batch(before);
    fold_finance(batch, event, stream);
    const DerivedCache::Commit commit(cache, batch.changes());
    for (const auto& [key, value] : batch.changes()) {
      value ? store.put(key, *value) : store.erase(key);
    }
  }
  Rows rows(std::string_view stream = "user_1") const {
    return {store, stream, 0, {&cache, cache.state()}};
  }
  FinancialSummary summary(std::optional<Date> from = {}, std::optional<LastDate> to = {}) const {
    auto told = run_query(rows(), SummarizeFinances{kFarm, {from, to}}, kNow);
    return *told;
  }
  std::string spent_in_euros() const { return summary().expenses.total; }

  RowBatch store;
  mutable DerivedCache cache{1 << 20};
};

TEST_F(Summary, ConvertsEachAmountAtTheRateOfItsDay) {
  given(spent('1', "10", "2025-03-02", {}, kDollar), spent('2', "10", "2025-03-03", {}, kDollar));
  given_rate("2025-03-01", "2"), given_rate("2025-03-03", "4");
  EXPECT_EQ(spent_in_euros(), "7.5");
}

TEST_F(Summary, FollowsRatesThatComeLateAndThoseThatAreCorrected) {
  given(spent('1', "10", "2025-03-02", {}, kDollar), spent('2', "1", "2025-03-02"));
  EXPECT_EQ(spent_in_euros(), "1");
  given_rate("2024-03-01", "2");
  EXPECT_EQ(spent_in_euros(), "6");
  given_rate("2025-03-02", "4");
  EXPECT_EQ(spent_in_euros(), "3.5");
  given_rate("2025-03-02", "8", "Bank");
  EXPECT_EQ(spent_in_euros(), "2.25");
  EXPECT_EQ(summary().rate_source, "Bank");
}

TEST_F(Summary, FollowsWhatIsRecordedAndRemoved) {
  given_rate("2024-03-01", "2");
  given(spent('1', "10", "2025-03-02", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "5");
  given(spent('2', "6", "2025-03-02", {}, kDollar), spent('3', "1", "2025-07-01"));
  EXPECT_EQ(spent_in_euros(), "9");
  given(ExpenseRemoved{{id<ExpenseId>('1'), kNow}});
  EXPECT_EQ(spent_in_euros(), "4");
}

TEST_F(Summary, FollowsWhatChangesInAPartOfAYear) {
  const auto from_to = [&](std::string_view from, std::string_view to) {
    return summary(parsed<Date>(from), parsed<LastDate>(to)).expenses.total;
  };
  given(spent('1', "1", "2025-03-14"), spent('2', "2", "2025-03-15"), spent('3', "4", "2025-04-01"),
        spent('4', "8", "2025-05-10"), spent('5', "16", "2025-05-11"),
        spent('6', "32", "2024-04-01"));
  EXPECT_EQ(from_to("2025-03-15", "2025-05-10"), "14");
  given(spent('7', "64", "2025-03-20"));
  EXPECT_EQ(from_to("2025-03-15", "2025-05-10"), "78");
  EXPECT_EQ(from_to("2025-04-01", "2025-05-11"), "28");
  given(ExpenseRemoved{{id<ExpenseId>('3'), kNow}});
  EXPECT_EQ(from_to("2025-04-01", "2025-05-11"), "24");
  EXPECT_EQ(from_to("2025-03-15", "2025-05-10"), "74");
  EXPECT_EQ(from_to("2024-04-01", "2025-03-14"), "33");
}

TEST_F(Summary, FollowsItsFarmToAnotherCurrency) {
  given_rate("2024-03-01", "2");
  given(spent('1', "10", "2025-03-02"));
  EXPECT_EQ(spent_in_euros(), "10");
  FarmDetails<Patch> changes;
  changes.currency = {kDollar};
  given(FarmAmended{kFarm.farm_id, changes, kThen});
  EXPECT_EQ(spent_in_euros(), "20");
  EXPECT_EQ(summary().rate_source, "ECB") << "the euro's rate has no source";
}

TEST_F(Summary, FollowsItsFarmToAnotherCountry) {
  given_rate("2024-03-01", "2");
  given(spent('1', "10", "2025-03-02"));
  FarmDetails<Patch> changes;
  changes.currency = null<Currency>();
  given(FarmAmended{kFarm.farm_id, changes, kThen});
  EXPECT_EQ(summary().expenses.total, "20") << "in dollars, as in no country";
  changes = {};
  changes.country.to = std::optional(Country{"Germany"});
  given(FarmAmended{kFarm.farm_id, changes, kThen});
  EXPECT_EQ(summary().expenses.total, "10");
}

TEST_F(Summary, NamesACurrencyOfWhichAnAmountIsNotConverted) {
  given(spent('1', "10", "2025-03-02", {}, kDollar), spent('2', "10", "2025-03-04", {}, kDollar));
  given_rate("2025-03-03", "2");
  EXPECT_EQ(spent_in_euros(), "5");
  EXPECT_EQ(summary().unconverted_currencies, std::vector<Currency>{kDollar});
  given_rate("2025-03-02", "2");
  EXPECT_EQ(summary().unconverted_currencies, std::vector<Currency>{});
}

// A third of a cent one day and a sixth of a cent the next are half a cent exactly, which no sum of
// decimals shows.
TEST_F(Summary, RoundsWhatIsExactlyHalfwayToTheEvenOne) {
  given_rate("2025-01-01", "3");
  given(spent('1', "0.01", "2025-03-02", {}, kDollar),
        spent('2', "0.005", "2025-03-03", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "0");
  EXPECT_EQ(summary().net, "0");
  given(spent('3', "0.03", "2025-03-04", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "0.02");
  given(spent('4', "0.00000001", "2025-03-05", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "0.02");
  given(spent('5', "0.00000001", "2024-01-01"));
  EXPECT_EQ(spent_in_euros(), "0.02");
}

TEST_F(Summary, ConvertsAtTheRateOfItsDayAlsoWhatIsExactlyHalfway) {
  given_rate("2025-01-01", "3"), given_rate("2025-03-03", "6");
  given(spent('1', "0.01", "2025-03-02", {}, kDollar),
        spent('2', "0.01", "2025-03-03", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "0");
  given(spent('3', "0.06", "2025-03-04", {}, kDollar));
  EXPECT_EQ(spent_in_euros(), "0.02");
}

TEST_F(Summary, RoundsEachFigureOnceFromItsOwnRows) {
  given_rate("2025-01-01", "1");
  given(sold('1', "0.014", "2025-03-02"), sold('2', "0.014", "2025-03-03", kDollar));
  const auto revenue = summary().revenue;
  EXPECT_EQ(revenue.total, "0.03");
  EXPECT_EQ(revenue.by_currency.members[0].second.converted, "0.01");
  EXPECT_EQ(revenue.by_currency.members[1].second.converted, "0.01");
}

TEST_F(Summary, IsExactForTheLargestAmountsAndTheMostLopsidedRates) {
  given_rate("2025-01-01", "0.00000001");
  given(sold('1', "999999999999999999.99999999", "2025-03-02", kDollar));
  EXPECT_EQ(summary().revenue.total, "99999999999999999999999999");
  EXPECT_EQ(summary().revenue.by_currency.members[0].second.rate, "100000000");
}

TEST_F(Summary, OfNoSuchFarmIsRefused) {
  const auto none = run_query(rows("user_2"), SummarizeFinances{kFarm, {}}, kNow);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tilth::testing
