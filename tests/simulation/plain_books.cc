#include "tests/simulation/plain_books.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "events/finance/expense.h"
#include "events/finance/overhead.h"
#include "events/log/streams.h"
#include "events/values/exact.h"
#include "events/values/places.h"
#include "projections/finance/farm_sums.h"
#include "projections/market/country_prices.h"
#include "projections/market/market.h"
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

  // By the beginning of the date: "2026", "2026-03", "2026-03-01".
  std::map<std::string, Accounts> all() const {
    std::map<std::string, Accounts> all;
    for (const auto& year : sums_.years()) {
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
  std::map<std::string, Accounts> expected;
  for (const auto& each : entries) {
    for (const std::size_t length : {4, 7, 10}) {
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

// Offers of one crop in one country.
struct Offered {
  std::set<std::string> farms, reporting, selling, owners;
  Fraction money = 0, tons = 0;                       // in all
  std::optional<Fraction> lowest = {}, highest = {};  // for a ton
};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The name of a library crop that is called so, ignoring case, or the text itself in one spelling.
// The simulation's names have single spaces and no accents.
std::string canonical(const std::string& name, const PlainRecords* library) {
  if (library != nullptr) {
    for (const auto& [id, crop] : library->all("admin_crop")) {
      if (is_listed(crop) && lower_case(text_in(crop, "name")) == lower_case(name)) {
        return text_in(crop, "name");
      }
    }
  }
  auto tidy = lower_case(name);
  if (!tidy.empty()) tidy.front() = static_cast<char>(std::toupper(tidy.front()));
  return tidy;
}

// Of the unit that it is priced in.
Fraction kilograms_of(const Members& offer) {
  const auto unit = text_in(offer, "unit");
  if (unit.ends_with("bushel")) return number_in(offer, "bushelWeightKg");
  if (unit.ends_with("lb")) return exact("0.45359237");
  return unit.ends_with("ton") ? 1'000 : 1;
}

// The average is not known where what was cut off may change it.
bool has_prices(const CropPrices& shown, const Offered& offered, const std::string& country) {
  const int digits = Currency::stored(Country::stored(country).currency()).minor_digits();
  const auto minor = [&](const Fraction& price) {
    return half_even(price * Fraction(power_of_ten(digits)));
  };
  const auto average = shown.sums.average(digits);
  return (!average || *average == minor(offered.money / offered.tons)) &&
         shown.lowest == minor(*offered.lowest) && shown.highest == minor(*offered.highest);
}

class PlainMarket {
 public:
  PlainMarket(const std::multimap<std::string, const PlainRecords*>& owners, Date today,
              const PlainRates& rates)
      : today_(today), rates_(rates) {
    const auto reference = owners.find(std::string(kReferenceStream));
    if (reference != owners.end()) library_ = reference->second;
    for (const auto& [owner, records] : owners) {
      for (const auto& [id, sale] : records->all("sale")) add_sale(owner, *records, id, sale);
      for (const auto& [id, report] : records->all("price_report")) {
        add(owner, *records, id, report, canonical(text_in(report, "cropName"), library_),
            "observedOn", &Offered::reporting);
      }
    }
  }

  const std::set<std::string>& offers() const { return offers_; }
  // By country and name. Those in a currency that has no rate are not there.
  const std::map<std::string, std::map<std::string, Offered>>& offered() const { return offered_; }

 private:
  void add_sale(const std::string& owner, const PlainRecords& records, const std::string& id,
                const Members& sale) {
    const auto& crop = *records.find({"crop", text_in(sale, "cropId")});
    const auto* known = library_ == nullptr || is_null(crop, "adminCropId")
                            ? nullptr
                            : library_->find({"admin_crop", text_in(crop, "adminCropId")});
    add(owner, records, id, sale,
        known != nullptr ? text_in(*known, "name") : canonical(text_in(crop, "cropType"), library_),
        "saleDate", &Offered::selling);
  }

  void add(const std::string& owner, const PlainRecords& records, const std::string& id,
           const Members& offer, const std::string& name, std::string_view date_name,
           std::set<std::string> Offered::*source) {
    const auto date = date_in(text_in(offer, date_name));
    if (date.day + kOfferCounts <= today_.day) return;
    offers_.insert(id);
    const auto farm_id = text_in(offer, "farmId");
    const auto& farm = *records.find({"farm", farm_id});
    if (date > today_ || is_null(farm, "country")) return;
    const auto country = text_in(farm, "country");
    const auto rate =
        rates_.on(text_in(offer, "currency"), Country::stored(country).currency(), date);
    if (!rate) return;
    auto& its = offered_[country][name];
    its.farms.insert(farm_id);
    (its.*source).insert(farm_id);
    its.owners.insert(owner);
    const auto kilograms = kilograms_of(offer);
    const bool is_sale = source == &Offered::selling;
    const Fraction per_ton =
        number_in(offer, is_sale ? "pricePerUnit" : "price") * *rate * 1'000 / kilograms;
    const bool has_quantity = !is_null(offer, "quantity");
    const Fraction tons =
        has_quantity ? number_in(offer, "quantity") * kilograms / 1'000 : Fraction(1);
    its.tons += tons;
    its.money += per_ton * tons;
    its.lowest = std::min(its.lowest.value_or(per_ton), per_ton);
    its.highest = std::max(its.highest.value_or(per_ton), per_ton);
  }

  const Date today_;
  const PlainRates& rates_;
  const PlainRecords* library_ = nullptr;
  std::set<std::string> offers_;
  std::map<std::string, std::map<std::string, Offered>> offered_;
};

// docs/domain.md: so many farms have to contribute to a price.
constexpr std::size_t kLeastFarms = 5;

// A price as a response shows it.
std::string wrong_in_price(const Json& shown, const Offered& offered, const Currency& currency) {
  const auto text = [&](std::string_view name) { return shown.find(name)->text; };
  const auto is = [&](std::string_view name, const Fraction& price) {
    return text(name) == rounded(price, currency.minor_digits());
  };
  const auto counts = [](const Json& in, std::string_view name, std::size_t count) {
    return in.find(name)->text == std::to_string(count);
  };
  if (!is("avgPrice", offered.money / offered.tons)) return "has another average";
  if (!is("minPrice", *offered.lowest)) return "has another lowest price";
  if (!is("maxPrice", *offered.highest)) return "has another highest price";
  if (text("currency") != currency.code || text("unit") != "per_ton") return "has another unit";
  const auto& sources = *shown.find("sources");
  const bool counted = counts(shown, "sampleSize", offered.farms.size()) &&
                       counts(sources, "userReported", offered.reporting.size()) &&
                       counts(sources, "sales", offered.selling.size());
  return counted ? "" : "is of other farms";
}

// The ids of the offers that the market has.
std::set<std::string> offers_in(const Rows& market) {
  constexpr char kOffer = 'o';
  constexpr std::size_t kIdBytes = 16;
  std::set<std::string> ids;
  const auto begin = market.own_key(kOffer);
  const auto cursor = market.cursor();
  for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
    ids.insert(Uuid::from_key(cursor->key().substr(begin.size(), kIdBytes)).text());
  }
  return ids;
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

std::string wrong_in_market(const RowReader& rows,
                            const std::multimap<std::string, const PlainRecords*>& owners,
                            Timestamp now, const PlainRates& rates) {
  const Rows market(rows, kMarketStream, 0);
  const PlainMarket plain(owners, Date{std::chrono::floor<std::chrono::days>(now.at)}, rates);
  if (offers_in(market) != plain.offers()) return "other offers are on the market than there are";
  for (const auto& [country, crops] : plain.offered()) {
    std::map<std::string, CropPrices> shown;
    for_each_crop(market, country, Crops::kAll,
                  [&](const CropPrices& crop) { shown[crop.crop_name] = crop; });
    if (shown.size() != crops.size()) return "other crops are offered in " + country;
    for (const auto& [name, offered] : crops) {
      const auto found = shown.find(name);
      if (found == shown.end()) return "no " + name + " is offered in " + country;
      const auto& sums = found->second.sums;
      if (sums.farms != offered.farms.size() || sums.reporting != offered.reporting.size() ||
          sums.selling != offered.selling.size() || sums.owners != offered.owners.size()) {
        return "other farms offer " + name + " in " + country;
      }
      if (!has_prices(found->second, offered, country)) {
        return name + " has other prices in " + country;
      }
    }
  }
  return {};
}

std::string wrong_in_prices(const AskPrices& ask, std::uint64_t min_owners,
                            const std::multimap<std::string, const PlainRecords*>& owners,
                            Timestamp now, const PlainRates& rates) {
  const PlainMarket plain(owners, Date{std::chrono::floor<std::chrono::days>(now.at)}, rates);
  for (const auto& [country, crops] : plain.offered()) {
    const Currency currency{Country::stored(country).currency()};
    const auto spelled = lower_case(country);
    std::map<std::string, const Offered*> expected;
    for (const auto& [name, offered] : crops) {
      const bool is_shown =
          offered.farms.size() >= kLeastFarms && offered.owners.size() >= min_owners;
      if (is_shown) expected[name] = &offered;
    }
    // In this and the next ones, a crop is asked for by another spelling of its name.
    std::vector<std::optional<std::string>> asked{std::nullopt};
    for (const auto& [name, offered] : crops) asked.push_back(" " + lower_case(name));
    for (const auto& name : asked) {
      const auto response =
          parse_json(ask({.country = SpelledCountry::parse(spelled), .crop_name = name}));
      if (!response) return "regional prices are no JSON";
      auto wanted = expected;
      if (name) {
        std::erase_if(wanted,
                      [&](const auto& each) { return " " + lower_case(each.first) != *name; });
      }
      const auto& meta = *response->find("meta");
      const auto says = [&](std::string_view member, const std::string& text) {
        return meta.find(member)->text == text;
      };
      if (!says("country", country) || !says("currency", currency.code) ||
          !says("minSampleSize", std::to_string(kLeastFarms)) ||
          !says("count", std::to_string(wanted.size()))) {
        return "the regional prices of " + country + " are said to be others";
      }
      auto next = wanted.begin();
      const auto& shown = response->find("data")->children;
      if (shown.size() != wanted.size()) return "other crops are shown for " + country;
      for (const auto& [none, price] : shown) {
        const auto& [crop, offered] = *next++;
        if (price.find("cropName")->text != crop || price.find("region")->text != spelled) {
          return "other crops are shown for " + country;
        }
        const auto wrong = wrong_in_price(price, *offered, currency);
        if (!wrong.empty()) return crop + " in " + country + " " + wrong;
      }
    }
  }
  return {};
}

}  // namespace tilth::testing
