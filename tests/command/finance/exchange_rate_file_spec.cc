#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/finance/exchange_rate_file.h"

namespace tilth::testing {
namespace {

// The rates of a file, day by day, or its error.
std::string said(std::string_view text) {
  auto file = ExchangeRateFile::open(text);
  if (!file) return file.error().issues.at("body").front();
  std::string all;
  while (true) {
    const auto day = file->next();
    if (!day) return day.error().issues.at("body").front();
    if (!*day) return all;
    all += (all.empty() ? "" : "; ") + (*day)->day.text();
    for (const auto& [currency, per_euro] : (*day)->rates) {
      all += " " + currency.code + " " + per_euro.text();
    }
  }
}

TEST(ExchangeRateFile, IsReadInTheFormOfTheEcbsDailyFile) {
  EXPECT_EQ(said("Date, USD, JPY, BGN, \n02 March 2026, 1.0834, 162.35, 1.9558, \n"),
            "2026-03-02 USD 1.0834 JPY 162.35 BGN 1.9558");
  EXPECT_EQ(said("Date,USD\n2 March 2026,1.0834"), "2026-03-02 USD 1.0834");
}

TEST(ExchangeRateFile, IsReadInTheFormOfTheEcbsHistory) {
  EXPECT_EQ(said("Date,USD,CYP,\r\n2026-03-02,1.0834,N/A,\r\n1999-01-04,1.1789,0.58231,\r\n"),
            "2026-03-02 USD 1.0834; 1999-01-04 USD 1.1789 CYP 0.58231");
}

TEST(ExchangeRateFile, HasNoRateWhereThereIsNoValue) {
  EXPECT_EQ(said("Date,USD,JPY,CHF\n2026-03-02,,N/A,\n2026-03-03, ,2,3,\n"),
            "2026-03-02; 2026-03-03 JPY 2 CHF 3");
  EXPECT_EQ(said("Date,USD\n\n2026-03-02,1\n \n"), "2026-03-02 USD 1");
}

TEST(ExchangeRateFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(said("\xEF\xBB\xBF"
                 "Date,USD\n2026-03-02,1.0834"),
            "2026-03-02 USD 1.0834");
  EXPECT_EQ(said("\xEF\xBB\xBF\xEF\xBB\xBF"
                 "Date,USD"),
            "line 1: the first line must be Date and the codes of currencies");
}

TEST(ExchangeRateFile, MayHaveNoDays) { EXPECT_EQ(said("Date,USD,"), ""); }

TEST(ExchangeRateFile, KnowsCurrenciesThatAreNoLongerInUse) {
  EXPECT_EQ(said("Date,TRL,EEK,XAU\n2000-01-03,546131,15.6466,0.0036\n"),
            "2000-01-03 TRL 546131 EEK 15.6466 XAU 0.0036");
}

TEST(ExchangeRateFile, NamesTheLineThatIsBadAndWhy) {
  const std::string dates = "line 1: the first line must be Date and the codes of currencies";
  EXPECT_EQ(said(""), dates);
  EXPECT_EQ(said("2026-03-02,1.0834"), dates);
  EXPECT_EQ(said("Date"), "line 1: there is no column of a currency");
  EXPECT_EQ(said("Date,usd"), "line 1: 'usd' is no code of a currency");
  EXPECT_EQ(said("Date,QQQ"), "line 1: 'QQQ' is no code of a currency");
  EXPECT_EQ(said("Date,USD,,JPY"), "line 1: '' is no code of a currency");
  EXPECT_EQ(said("Date,USD,USD"), "line 1: USD has two columns");
  const std::string day = "Date,USD,\n2026-03-02,1,\n";
  EXPECT_EQ(said(day + "2026-02-30,1,"), "line 3: '2026-02-30' is no date");
  EXPECT_EQ(said(day + "2026-03-03T00:00Z,1"), "line 3: '2026-03-03T00:00Z' is no date");
  EXPECT_EQ(said(day + "2 Mars 2026,1"), "line 3: '2 Mars 2026' is no date");
  EXPECT_EQ(said(day + "31 April 2026,1"), "line 3: '31 April 2026' is no date");
  EXPECT_EQ(said(day + "March 2026,1"), "line 3: 'March 2026' is no date");
  EXPECT_EQ(said(day + "2026-03-03,one"), "line 3: 'one' is no rate");
  EXPECT_EQ(said(day + "2026-03-03,0"), "line 3: '0' is no rate");
  EXPECT_EQ(said(day + "2026-03-03,-1"), "line 3: '-1' is no rate");
  EXPECT_EQ(said(day + "2026-03-03,1.123456789"), "line 3: '1.123456789' is no rate");
  EXPECT_EQ(said(day + "2026-03-03"), "line 3: there must be 2 values, as in the first line");
  EXPECT_EQ(said(day + "2026-03-03,1,2"), "line 3: there must be 2 values, as in the first line");
  EXPECT_EQ(said(day + "Date,USD"), "line 3: 'Date' is no date");
}

TEST(ExchangeRateFile, ShowsNothingButPlainCharactersOfWhatIsBad) {
  EXPECT_EQ(said("Date,USD\n\xFF\x01" + std::string(100, 'x') + ",1"),
            "line 2: '\?\?" + std::string(38, 'x') + "' is no date");
}

TEST(ExchangeRateFile, ReadsNoMoreOfALineThanThereCanBe) {
  EXPECT_THAT(said("Date" + std::string(1 << 20, ',')), ::testing::HasSubstr("is no code"));
  EXPECT_THAT(said("Date,USD\n2026-03-02" + std::string(1 << 20, ',')),
              ::testing::HasSubstr("there must be 2 values"));
}

}  // namespace
}  // namespace tilth::testing
