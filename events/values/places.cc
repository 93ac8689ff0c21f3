#include "events/values/places.h"

#include <algorithm>
#include <memory>
#include <set>

#include <unicode/ucurr.h>

#include "events/values/iso_tables.h"
#include "events/values/text.h"

namespace tilth {
namespace {

const iso::CountryRow* find_country(std::string_view text) {
  constexpr std::size_t kLonger = 1'000;  // than any spelling of a country's name
  if (text.size() > kLonger) return nullptr;
  const auto key = fold_case(text);  // as Python's casefold() did for the tables
  const auto found = std::ranges::lower_bound(iso::kSpellings, key, {}, &iso::Spelling::folded);
  if (found == iso::kSpellings.end() || found->folded != key) return nullptr;
  return &iso::kCountries[found->country];
}

// All currencies that ICU knows.
std::set<std::string, std::less<>> all_codes() {
  std::set<std::string, std::less<>> codes;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UEnumeration, decltype(&uenum_close)> list(
      ucurr_openISOCurrencies(UCURR_ALL, &error), uenum_close);
  while (const char* code = uenum_next(list.get(), nullptr, &error)) codes.emplace(code);
  return codes;
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

std::optional<Currency> Currency::ever(std::string_view text) {
  static const auto kCodes = all_codes();
  return kCodes.contains(text) ? std::optional(Currency{std::string(text)}) : std::nullopt;
}

int Currency::minor_digits() const {
  const std::u16string wide(code.begin(), code.end());
  UErrorCode error = U_ZERO_ERROR;
  const auto digits = ucurr_getDefaultFractionDigits(wide.c_str(), &error);
  return U_SUCCESS(error) ? digits : 2;
}

}  // namespace tilth
