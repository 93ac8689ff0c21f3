#include "command/finance/exchange_rate.h"
#include "projections/finance/exchange_rate.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const Currency kDollar{"USD"}, kYen{"JPY"};
const auto kMonday = parsed<Date>("2026-03-02"), kTuesday = parsed<Date>("2026-03-03"),
           kFriday = parsed<Date>("2026-03-06");

PublishedRate rate(const Currency& currency, std::string_view per_euro) {
  return {currency, parsed<Decimal>(per_euro)};
}

const std::vector<PublishedDay> kDays = {{kMonday, {rate(kDollar, "1.0834"), rate(kYen, "162.35")}},
                                         {kTuesday, {rate(kDollar, "1.09")}}};

Spec given_rates() {
  return Spec(kReferenceStream).given(ExchangeRatesImported{"ECB", kDays, 3, kThen});
}

TEST(ImportExchangeRates, SaysEveryRateThatIsNew) {
  Spec(kReferenceStream)
      .when(ImportExchangeRates{"ECB", kDays})
      .then(ExchangeRatesImported{"ECB", kDays, 3, kNow});
}

TEST(ImportExchangeRates, SaysOnlyWhatIsNewOrDifferent) {
  given_rates()
      .when(ImportExchangeRates{"ECB",
                                {{kMonday, {rate(kDollar, "1.08340"), rate(kYen, "162.4")}},
                                 {kTuesday, {rate(kDollar, "1.09")}},
                                 {kFriday, {rate(kDollar, "1.1")}}}})
      .then(ExchangeRatesImported{
          "ECB", {{kMonday, {rate(kYen, "162.4")}}, {kFriday, {rate(kDollar, "1.1")}}}, 2, kNow});
}

TEST(ImportExchangeRates, StaysQuietWhenAllOfItIsSoAlready) {
  given_rates().when(ImportExchangeRates{"ECB", kDays}).then_nothing();
}

TEST(ImportExchangeRates, RemembersAnotherSourceOfTheSameRateWhichIsNoChange) {
  given_rates()
      .when(ImportExchangeRates{"Bank", {{kTuesday, {rate(kDollar, "1.09")}}}})
      .then(ExchangeRatesImported{"Bank", {{kTuesday, {rate(kDollar, "1.09")}}}, 0, kNow});
}

TEST(ImportExchangeRates, LetsTheLaterOfTwoRatesForOneDayCount) {
  const std::vector<PublishedDay> twice = {{kFriday, {rate(kDollar, "1.2")}},
                                           {kFriday, {rate(kDollar, "1.3")}}};
  auto spec = given_rates().when(ImportExchangeRates{"ECB", twice});
  spec.then(ExchangeRatesImported{"ECB", twice, 2, kNow});
  spec.given(ExchangeRatesImported{"ECB", twice, 2, kNow});
  EXPECT_EQ(ExchangeRates(spec.rows()).on(kDollar, kFriday)->rate.per_euro, parsed<Decimal>("1.3"));
}

std::string told(const std::optional<ExchangeRates::Published>& found) {
  if (!found) return "none";
  return found->day.text() + " " + found->rate.per_euro.text() + " " + found->rate.source;
}

TEST(ExchangeRates, AreThoseOfTheLastDayOnWhichTheCurrencyWasPublished) {
  const auto spec = given_rates();
  const ExchangeRates rates(Rows(spec.rows()).reference());
  EXPECT_EQ(told(rates.on(kDollar, kMonday)), "2026-03-02 1.0834 ECB");
  EXPECT_EQ(told(rates.on(kDollar, kFriday)), "2026-03-03 1.09 ECB");
  EXPECT_EQ(told(rates.on(kYen, kFriday)), "2026-03-02 162.35 ECB");
}

TEST(ExchangeRates, AreNoneBeforeTheFirstDay) {
  const auto spec = given_rates();
  const ExchangeRates rates(spec.rows());
  EXPECT_EQ(told(rates.on(kDollar, parsed<Date>("2026-03-01"))), "none");
  EXPECT_EQ(told(rates.on({"CHF"}, kFriday)), "none");
}

TEST(ExchangeRates, OfTheEuroAreOneWhateverWasPublished) {
  auto spec = given_rates();
  spec.given(ExchangeRatesImported{"X", {{kMonday, {rate(kEuro, "2")}}}, 1, kThen});
  EXPECT_EQ(told(ExchangeRates(spec.rows()).on(kEuro, kFriday)), "2026-03-06 1 ");
}

TEST(ExchangeRates, StayTheSameUntilTheNextDayOnWhichTheCurrencyWasPublished) {
  const auto spec = given_rates();
  const ExchangeRates rates(spec.rows());
  EXPECT_EQ(rates.next(kDollar, parsed<Date>("1999-01-04")), kMonday);
  EXPECT_EQ(rates.next(kDollar, kMonday), kTuesday);
  EXPECT_EQ(rates.next(kDollar, kTuesday), std::nullopt);
}

}  // namespace
}  // namespace tilth::testing
