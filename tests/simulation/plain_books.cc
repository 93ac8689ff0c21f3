#include "tests/simulation/plain_books.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "events/finance/expense.h"
#include "events/finance/overhead.h"
#include "events/values/exact.h"
#include "projections/finance/farm_sums.h"
#include "projections/rows/row_keys.h"
#include "query/finance/financial_summary.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;

Date date_in(const std::string& text) { return *Date::parse(text); }

// What was earned or spent.
struct Entry {
  std::string farm, book, category, currency, date;
  Fraction amount;
};

// The kinds of entries: their tables, and the names of their book, amount and date.
struct EntryKind {
  const char *table, *book, *amount, *date;
};
constexpr std::array<EntryKind, 3> kEntryKinds{
    {{"sale", "revenue", "totalAmount", "saleDate"},
     {"expense", "expenses", "amount", "transactionDate"},
     {"overhead", "overheads", "amount", "transactionDate"}}};

std::vector<Entry> entries_of(const PlainRecords& records) {
  std::vector<Entry> entries;
  for (const auto& kind : kEntryKinds) {
    for (const auto& [id, members] : records.all(kind.table)) {
      const bool has_category = members.contains("category");
      entries.push_back({text_in(members, "farmId"), kind.book,
                         has_category ? text_in(members, "category") : "",
                         text_in(members, "currency"), text_in(members, kind.date),
                         number_in(members, kind.amount)});
    }
  }
  return entries;
}

// The ids of all rows of a table.
std::set<std::string> ids_in(const Rows& rows, std::string_view table) {
  std::set<std::string> ids;
  const auto begin = rows.own_key(kRowKey);
  const auto cursor = rows.cursor();
  for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
    const auto parts = row_key_parts(cursor->key());
    if (parts && parts->table == table) ids.insert(parts->of.text());
  }
  return ids;
}

std::set<std::string> ids_of(const PlainRecords& records, const std::vector<std::string>& tables) {
  std::set<std::string> ids;
  for (const auto& table : tables) {
    for (const auto& [id, members] : records.all(table)) ids.insert(id);
  }
  return ids;
}

// A financial summary, and the entries that it is of.
class Summary {
 public:
  Summary(const Json& json, std::string base, const std::vector<Entry>& entries,
          const PlainRates& rates)
      : json_(json), base_(std::move(base)), entries_(entries), rates_(rates) {}

  std::string wrong() const {
    if (json_.find("baseCurrency")->text != base_) return "a farm has another base currency";
    Fraction net = 0;
    for (const auto& kind : kEntryKinds) {
      if (auto what = wrong_book(kind.book); !what.empty()) return what;
      const auto own = in_base(kind.book, std::nullopt);
      net += kind.book == std::string_view("revenue") ? own : Fraction(-own);
    }
    if (!is(*json_.find("net"), net)) return "the net of a farm is not what is left";
    return wrong_unconverted();
  }

 private:
  // The sum in the base currency, of one category or all.
  Fraction in_base(std::string_view book, const std::optional<std::string>& category) const {
    Fraction sum = 0;
    for (const auto& each : entries_) {
      if (each.book != book || (category && each.category != *category)) continue;
      if (const auto rate = rates_.on(each.currency, base_, date_in(each.date))) {
        sum += each.amount * *rate;
      }
    }
    return sum;
  }

  bool is(const Json& shown, const Fraction& sum) const {
    return shown.text == rounded(sum, Currency::stored(base_).minor_digits());
  }

  std::string wrong_book(const std::string& book) const {
    const auto& shown = *json_.find(book);
    std::map<std::string, Fraction> by_currency;
    std::set<std::string> categories;
    for (const auto& each : entries_) {
      if (each.book != book) continue;
      by_currency[each.currency] += each.amount;
      categories.insert(each.category);
    }
    const auto& currencies = *shown.find("byCurrency");
    if (currencies.children.size() != by_currency.size()) return "its " + book + " lack a currency";
    for (const auto& [currency, sum] : by_currency) {
      const auto* own = currencies.find(currency);
      if (own == nullptr || own->find("original")->text != rounded(sum, kDigits)) {
        return "its " + book + " in " + currency + " are not " + rounded(sum, kDigits);
      }
    }
    if (!is(*shown.find("total"), in_base(book, std::nullopt)))
      return "its " + book + " are others";
    const auto* by_category = shown.find("byCategory");
    if (by_category == nullptr) return {};
    if (by_category->children.size() != categories.size())
      return "its " + book + " lack a category";
    for (const auto& category : categories) {
      const auto* own = by_category->find(category);
      if (own == nullptr || !is(*own, in_base(book, category))) {
        return "its " + book + " for " + category + " are others";
      }
    }
    return {};
  }

  std::string wrong_unconverted() const {
    std::set<std::string> expected, shown;
    for (const auto& each : entries_) {
      const bool has_rate = rates_.on(each.currency, base_, date_in(each.date)).has_value();
      if (!has_rate) expected.insert(each.currency);
    }
    for (const auto& [none, each] : json_.find("unconvertedCurrencies")->children) {
      shown.insert(each.text);
    }
    return shown == expected ? "" : "other currencies of a farm have no rate";
  }

  static constexpr int kDigits = 8;

  const Json& json_;
  const std::string base_;
  const std::vector<Entry>& entries_;
  const PlainRates& rates_;
};

std::string wrong_in_summary(const Rows& books, const Members& farm,
                             const std::vector<Entry>& entries, const Period<Date>& period,
                             const PlainRates& rates) {
  const FarmPath at{*FarmId::parse(text_in(farm, "id"))};
  const auto summary = run_query(books, SummarizeFinances{at, period}, {});
  if (!summary) return "a farm has no books";
  const auto json = parse_json(JsonWriter::text(*summary));
  return json ? Summary(*json, base_currency_of(farm), entries, rates).wrong()
              : "a summary is no JSON";
}

// How many entries there are in each account, and their sum.
using Accounts = std::map<std::array<std::string, 3>, std::pair<std::uint64_t, Fraction>>;

std::array<std::string, 3> name_of_account(const Account& account) {
  const std::string book(name_of(account.book));
  const auto category =
      account.book == Book::kExpenses    ? name_of(static_cast<ExpenseCategory>(account.category))
      : account.book == Book::kOverheads ? name_of(static_cast<OverheadCategory>(account.category))
                                         : std::string_view();
  return {book, std::string(category), account.currency.code};
}

// The sums that are kept of a year, of its months and of their days. All of them: some are only
// read to know whether what follows from them is still right.
class KeptSums {
 public:
  KeptSums(const Rows& books, const std::string& farm) : sums_(books, *FarmId::parse(farm)) {}

  // By the beginning of the date: "", "2026", "2026-03", "2026-03-01".
  std::map<std::string, Accounts> all() const {
    std::map<std::string, Accounts> all;
    const auto all_time = CalendarPeriod::of(Span::kAllTime, {});
    add(all_time, 0, all);
    for (const auto& year : sums_.parts(all_time)) {
      add(year, 4, all);
      for (const auto& month : sums_.parts(year)) {
        add(month, 7, all);
        for (const auto& day : sums_.parts(month)) add(day, 10, all);
      }
    }
    return all;
  }

 private:
  void add(const CalendarPeriod& period, std::size_t length,
           std::map<std::string, Accounts>& all) const {
    auto& its = all[period.first.text().substr(0, length)];
    for (const auto& [account, bookings, amount] : sums_.of(period).accounts) {
      its[name_of_account(account)] = {bookings, Fraction(Integer(amount), power_of_ten(8))};
    }
  }

  const FarmSums sums_;
};

std::string wrong_in_sums(const Rows& books, const std::string& farm,
                          const std::vector<Entry>& entries) {
  std::map<std::string, Accounts> expected{{"", {}}};
  for (const auto& each : entries) {
    for (const std::size_t length : {0, 4, 7, 10}) {
      auto& [count, sum] =
          expected[each.date.substr(0, length)][{each.book, each.category, each.currency}];
      ++count;
      sum += each.amount;
    }
  }
  return KeptSums(books, farm).all() == expected ? ""
                                                 : "other sums are kept than those of its entries";
}

// The quantity times the price, to 8 digits.
std::string wrong_in_sales(const PlainRecords& records) {
  for (const auto& [id, sale] : records.all("sale")) {
    const auto total = number_in(sale, "quantity") * number_in(sale, "pricePerUnit");
    if (text_in(sale, "totalAmount") != rounded(total, 8)) return "a sale has another total";
  }
  return {};
}

}  // namespace

std::string wrong_in_books(const Rows& books, const PlainRecords& records,
                           const PlainRates& rates) {
  if (auto wrong = wrong_in_sales(records); !wrong.empty()) return wrong;
  if (ids_in(books, "booking") != ids_of(records, {"sale", "expense", "overhead"})) {
    return "other entries are booked than there are";
  }
  for (const std::string table : {"farm", "field", "crop"}) {
    if (ids_in(books, "booked_" + table) != ids_of(records, {table})) {
      return "the books have another " + table + " than there is";
    }
  }
  const auto all = entries_of(records);
  for (const auto& [farm, members] : records.all("farm")) {
    std::vector<Entry> own;
    std::ranges::copy_if(all, std::back_inserter(own),
                         [&](const Entry& each) { return each.farm == farm; });
    if (auto wrong = wrong_in_sums(books, farm, own); !wrong.empty()) return wrong;
    if (auto wrong = wrong_in_summary(books, members, own, {}, rates); !wrong.empty()) {
      return wrong;
    }
    if (own.empty()) continue;
    const auto date = own.front().date;
    const auto day = date_in(date);
    std::erase_if(own, [&](const Entry& each) { return each.date != date; });
    const auto wrong = wrong_in_summary(books, members, own, {day, LastDate{day}}, rates);
    if (!wrong.empty()) return "on one day, " + wrong;
  }
  return {};
}

}  // namespace tilth::testing
