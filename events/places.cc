#include "events/places.h"

#include <algorithm>
#include <exception>

#include <date/tz.h>
#include <unicode/ucurr.h>

#include "events/iso_tables.h"
#include "events/text.h"

namespace tilth {
namespace {

const iso::CountryRow* find_country(std::string_view text) {
  constexpr std::size_t kLonger = 1'000;  // than any country's name, however it is written
  if (text.size() > kLonger) return nullptr;
  const auto key = fold_case(text);  // as Python's casefold() did for the tables
  const auto found = std::ranges::lower_bound(iso::kSpellings, key, {}, &iso::Spelling::folded);
  if (found == iso::kSpellings.end() || found->folded != key) return nullptr;
  return &iso::kCountries[found->country];
}

// The operating system's tz database, read when it is first asked for; null where there is none.
const date::tzdb* tz_database() {
  static const date::tzdb* const database = []() -> const date::tzdb* {
    try {
      return &date::get_tzdb();
    } catch (const std::exception&) {
      return nullptr;
    }
  }();
  return database;
}

// By the list that was read, so that no text ever becomes part of a path.
const date::time_zone* find_zone(std::string_view name) {
  const auto* database = tz_database();
  // The machine's own setting, and not a name of the tz database.
  if (database == nullptr || name == "localtime") return nullptr;
  const auto found = std::ranges::lower_bound(
      database->zones, name, {},
      [](const date::time_zone& zone) { return std::string_view(zone.name()); });
  return found != database->zones.end() && found->name() == name ? &*found : nullptr;
}

}  // namespace

std::optional<Country> Country::parse(std::string_view text) {
  const auto* country = find_country(text);
  return country != nullptr ? std::optional(Country{std::string(country->name)}) : std::nullopt;
}

std::string Country::currency() const {
  const auto* country = find_country(name);
  if (country == nullptr) return "USD";
  const auto locale = "_" + std::string(country->alpha_2);
  char16_t code[4] = {};
  UErrorCode error = U_ZERO_ERROR;
  const auto length = ucurr_forLocale(locale.c_str(), code, 4, &error);
  const std::string currency(code, code + std::clamp(length, 0, 3));
  // XXX is CLDR's word for none: Antarctica.
  return U_SUCCESS(error) && length == 3 && currency != "XXX" ? currency : "USD";
}

std::optional<Currency> Currency::parse(std::string_view text) {
  return std::ranges::binary_search(iso::kCurrencies, text)
             ? std::optional(Currency{std::string(text)})
             : std::nullopt;
}

int Currency::minor_digits() const {
  const std::u16string wide(code.begin(), code.end());
  UErrorCode error = U_ZERO_ERROR;
  const auto digits = ucurr_getDefaultFractionDigits(wide.c_str(), &error);
  return U_SUCCESS(error) ? digits : 2;
}

std::optional<TimeZone> TimeZone::parse(std::string_view text) {
  // The database's name for no zone at all, which the library leaves out.
  const bool known = find_zone(text) != nullptr || text == "Factory";
  return known ? std::optional(TimeZone{std::string(text)}) : std::nullopt;
}

Date date_in(const TimeZone& zone, const Timestamp& now) {
  auto local = now.at;
  if (const auto* installed = find_zone(zone.name); installed != nullptr) {
    local += installed->get_info(now.at).offset;
  }
  return {std::chrono::floor<std::chrono::days>(local)};
}

Timestamp start_of(const Date& date, const TimeZone& zone) {
  const auto* installed = find_zone(zone.name);
  if (installed == nullptr) return {date.day};
  // Where the clocks skip midnight the day begins when they skip it; where they show it twice, with
  // the first.
  const date::local_days midnight(date.day.time_since_epoch());
  return {installed->to_sys(midnight, date::choose::earliest)};
}

}  // namespace tilth
