// Expenses, overheads, sales and price reports: entries with an amount, whose currency is decided.

#include "command/finance/cost.h"
#include "command/finance/sale.h"
#include "command/market/price_report.h"
#include "projections/finance/expense.h"
#include "query/finance/cost.h"
#include "query/market/price_report.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kDay = parsed<Date>("2026-02-20");
const Currency kEuro{"EUR"};
const ExpenseId kNewExpense = id<ExpenseId>('9');  // Spec::context.new_id
const Cost<ExpenseCategory> kFuel{.amount = Decimal(80),
                                  .currency = kEuro,
                                  .category = ExpenseCategory::kFuel,
                                  .transaction_date = kDay};
const PriceReportDetails kPrice{
    .crop_name = "Dates", .price = Decimal(3), .currency = kEuro, .observed_on = kDay};

ExpenseRecorded expense(char digit, const ExpenseDetails& details) {
  return {{id<ExpenseId>(digit), {kFarm.farm_id}, details, kThen}};
}

std::string base_currency(const FarmDetails<Patch>& changes) {
  auto spec = given_crop().given(FarmAmended{kFarm.farm_id, changes, kThen});
  return spec.rows().find(kFarm.farm_id)->currency_of({}).code;
}

TEST(BaseCurrency, IsTheFarmsElseItsCountrysElseUsd) {
  EXPECT_EQ(base_currency({}), "USD");
  EXPECT_EQ(base_currency({.country = {parsed<Country>("SA")}}), "SAR");
  EXPECT_EQ(base_currency({.country = {parsed<Country>("SA")}, .currency = {kEuro}}), "EUR");
}

TEST(RecordExpense, KeepsTheCurrencyThatWasSaid) {
  given_farm()
      .when(Create<Expense>{kFarm, {.cost = kFuel}})
      .then(ExpenseRecorded{{kNewExpense, {kFarm.farm_id}, {.cost = kFuel}, kNow}});
}

TEST(RecordExpense, IsInTheBaseCurrencyOtherwise) {
  auto unsaid = kFuel, resolved = kFuel;
  unsaid.currency = {}, resolved.currency = {"USD"};
  given_farm()
      .when(Create<Expense>{kFarm, {.cost = unsaid}})
      .then(ExpenseRecorded{{kNewExpense, {kFarm.farm_id}, {.cost = resolved}, kNow}});
}

TEST(RecordExpense, NeedsThatFarmAndItsCropOrFieldOnIt) {
  Spec().when(Create<Expense>{kFarm, {.cost = kFuel}}).then_refused(ErrorCode::kNotFound);
  auto spec = given_crop().given(farm_registered({id<FarmId>('f')}, "Other"));
  spec.when(Create<Expense>{{id<FarmId>('f')}, {.crop_id = kCrop.crop_id, .cost = kFuel}})
      .then_refused(ErrorCode::kNotFound);
  spec.when(Create<Expense>{{id<FarmId>('f')}, {.field_id = kField.field_id, .cost = kFuel}})
      .then_refused(ErrorCode::kNotFound);
  spec.when(Create<Expense>{kFarm, {.crop_id = id<CropId>('7'), .cost = kFuel}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(Expenses, GoWithTheirCropTheirFieldAndTheFieldOfTheirCrop) {
  const auto of_crop = expense('1', {.crop_id = kCrop.crop_id, .cost = kFuel});
  const auto of_field = expense('2', {.field_id = kField.field_id, .cost = kFuel});
  const auto of_neither = expense('3', {.cost = kFuel});
  const auto left = [&](const auto& event) {
    auto spec = given_crop().given(of_crop, of_field, of_neither, event);
    const auto listed = run_query(spec.rows(), ListCosts<Expense>{{kFarm, {}}, {}},
                                  {.sort = 1, .order = Order::kAscending});
    std::string ids;
    for (const auto& row : listed->rows) ids.push_back(row.id.text().back());
    return ids;
  };
  EXPECT_EQ(left(ExpenseRemoved{{id<ExpenseId>('3'), kNow}}), "12");
  EXPECT_EQ(left(CropRemoved{kCrop.crop_id, kNow}), "23");
  EXPECT_EQ(left(FieldRemoved{kField.field_id, kNow}), "3");
  EXPECT_EQ(
      given_crop().given(of_crop, of_field, of_neither, FarmRemoved{kFarm.farm_id, kNow}).kept(),
      Spec().kept());
}

TEST(ListExpenses, OfACategoryAndAPeriod) {
  auto labor = kFuel;
  labor.category = ExpenseCategory::kLabor;
  auto spec = given_farm().given(expense('1', {.cost = kFuel}), expense('2', {.cost = labor}));
  ListCosts<Expense> query{{kFarm, {.from = kDay, .to = LastDate{kDay}}}, ExpenseCategory::kLabor};
  EXPECT_EQ(run_query(spec.rows(), query, {})->total, 1U);
  EXPECT_EQ(run_query(spec.rows(), query, {})->rows.front().id, id<ExpenseId>('2'));
  query.period.to = LastDate{parsed<Date>("2026-02-19")};
  EXPECT_EQ(run_query(spec.rows(), query, {})->total, 0U);
}

TEST(RecordOverhead, IsInTheBaseCurrencyOfItsFarm) {
  const OverheadDetails rent{.cost = {.amount = Decimal(5),
                                      .category = OverheadCategory::kRent,
                                      .transaction_date = kDay}};
  auto resolved = rent;
  resolved.cost.currency = {"USD"};
  given_farm()
      .when(Create<Overhead>{kFarm, rent})
      .then(OverheadRecorded{{id<OverheadId>('9'), {kFarm.farm_id}, resolved, kNow}});
  Spec().when(Create<Overhead>{kFarm, rent}).then_refused(ErrorCode::kNotFound);
}

TEST(RecordSale, DecidesTotalAndCurrency) {
  const SaleDetails sale{.quantity = parsed<Decimal>("0.00000003"),
                         .price_per_unit = parsed<Decimal>("0.5"),
                         .sale_date = kDay};
  auto resolved = sale;
  resolved.currency = {"USD"};
  given_crop()
      .when(Create<Sale>{kCrop, sale})
      .then(SaleRecorded{{id<SaleId>('9'), {kCrop.crop_id, kFarm.farm_id}, resolved, kNow},
                         parsed<Decimal>("0.00000002")});
  given_field().when(Create<Sale>{kCrop, sale}).then_refused(ErrorCode::kNotFound);
}

TEST(RecordSale, IsNotOfMoreThanADecimalHolds) {
  Issues issues;
  SaleDetails{.quantity = Decimal(1'000'000'000), .price_per_unit = Decimal(1'000'000'000)}.check(
      issues);
  EXPECT_TRUE(issues.contains("pricePerUnit"));
}

TEST(Sales, GoWithTheirCropItsFieldAndItsFarm) {
  const SaleRecorded sale{{id<SaleId>('1'), {kCrop.crop_id, kFarm.farm_id}, {}, kThen}, {}};
  EXPECT_EQ(given_crop().given(sale, CropRemoved{kCrop.crop_id, kNow}).kept(),
            given_field().kept());
  EXPECT_EQ(given_crop().given(sale, FieldRemoved{kField.field_id, kNow}).kept(),
            given_farm().kept());
  EXPECT_EQ(given_crop().given(sale, FarmRemoved{kFarm.farm_id, kNow}).kept(), Spec().kept());
}

TEST(CreatePriceReport, Acts) {
  given_farm()
      .when(CreatePriceReport{{}, kFarm.farm_id, kPrice})
      .then(PriceReported{{id<PriceReportId>('9'), {kFarm.farm_id}, kPrice, kNow}, {}});
  Spec().when(CreatePriceReport{{}, kFarm.farm_id, kPrice}).then_refused(ErrorCode::kNotFound);
}

TEST(CreatePriceReport, OfABushelNeedsTheLibrary) {
  auto bushel = kPrice;
  bushel.unit = PriceUnit::kPerBushel;
  auto spec = given_farm();
  spec.when(CreatePriceReport{{}, kFarm.farm_id, bushel}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(spec.refusal().issues.contains("unit"));
}

TEST(CreatePriceReport, IsOfTodayAtTheLatest) {
  const auto faults = [](const char* day, const char* now) {
    Issues issues;
    CreatePriceReport{{}, {}, {.observed_on = parsed<Date>(day)}}.check(issues,
                                                                        parsed<Timestamp>(now));
    return issues.size();
  };
  EXPECT_EQ(faults("2026-03-01", "2026-03-01T00:00:00Z"), 0U);
  EXPECT_EQ(faults("2026-03-01", "2026-02-28T23:59:59.999Z"), 1U);
}

TEST(PriceReports, AreOneListThatTheFarmTakesItsOwnFrom) {
  const auto other = farm_registered({id<FarmId>('f')}, "Other");
  const PriceReported ours{{id<PriceReportId>('1'), {kFarm.farm_id}, kPrice, kThen}, {}};
  const PriceReported theirs{{id<PriceReportId>('2'), {other.id}, kPrice, kThen}, {}};
  auto spec = given_farm().given(other, ours, theirs);
  EXPECT_EQ(run_query(spec.rows(), ListPriceReports{}, {})->total, 2U);
  ListPriceReports query;
  query.farm_id = kFarm.farm_id;
  EXPECT_EQ(run_query(spec.rows(), query, {})->total, 1U);
  query.crop_name = "dates";
  EXPECT_EQ(run_query(spec.rows(), query, {})->total, 0U) << "names are compared exactly";
  spec.given(FarmRemoved{kFarm.farm_id, kNow});
  EXPECT_EQ(spec.kept(), Spec().given(other, theirs).kept());
  spec.when(Delete<PriceReport>{{{}, id<PriceReportId>('2')}})
      .then(PriceReportRemoved{{id<PriceReportId>('2'), kNow}});
}

}  // namespace
}  // namespace tilth::testing
