#include "events/values/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilth {
namespace {

constexpr std::string_view kDigits = "0123456789";

__extension__ using Units = __int128;
constexpr Units kBound = static_cast<Units>(1'000'000'000'000'000'000) * 100'000'000;

// Rounds a quotient that left a remainder to the nearest whole number, half-even.
Units half_even(Units quotient, Units rest, Units divisor) {
  const Units doubled = 2 * rest;
  return quotient + (doubled > divisor || (doubled == divisor && quotient % 2 != 0) ? 1 : 0);
}

// Each removes what it finds from the front of `text`.

std::string_view take_digits(std::string_view& text) {
  const auto digits = text.substr(0, text.find_first_not_of(kDigits));
  text.remove_prefix(digits.size());
  return digits;
}

char skip(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == any_of.npos) return '\0';
  const char found = text.front();
  text.remove_prefix(1);
  return found;
}

}  // namespace

std::optional<WrittenNumber> WrittenNumber::parse(std::string_view text) {
  WrittenNumber number;
  number.negative = skip(text, "+-") == '-';
  const auto whole = take_digits(text);
  std::string_view fraction;
  if (whole.empty()) return std::nullopt;
  if (skip(text, ".") != '\0') {
    fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
    number.exponent = -static_cast<std::int64_t>(fraction.size());
  }
  if (skip(text, "eE") != '\0') {
    const bool down = skip(text, "+-") == '-';
    const auto power = take_digits(text);
    if (power.empty()) return std::nullopt;
    constexpr std::int64_t kHuge = 100'000'000'000'000'000;  // larger ones act the same
    std::int64_t by = 0;
    for (const char c : power) by = std::min(by * 10 + (c - '0'), kHuge);
    number.exponent += down ? -by : by;
  }
  if (!text.empty()) return std::nullopt;

  auto& digits = number.digits;
  digits.reserve(whole.size() + fraction.size());
  digits.append(whole).append(fraction);
  const auto last = digits.find_last_not_of('0');
  if (last == digits.npos) return WrittenNumber{number.negative, {}, 0};
  number.exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.erase(last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  return number;
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const auto number = WrittenNumber::parse(text);
  if (!number || number->exponent < -8 || number->whole_digits() > 18) return std::nullopt;
  Decimal value;
  if (number->digits.empty()) return value;
  for (const char c : number->digits) value.units_ = value.units_ * 10 + (c - '0');
  for (auto i = number->exponent; i > -8; --i) value.units_ *= 10;
  if (number->negative) value.units_ = -value.units_;
  return value;
}

std::string Decimal::text() const {
  // Half of a whole part of up to 36 digits, which is more than units can have.
  constexpr std::uint64_t kHalf = 1'000'000'000'000'000'000;
  const auto magnitude = units_ < 0 ? -units_ : units_;
  const auto whole = magnitude / kUnitsPerOne;
  const auto high = static_cast<std::uint64_t>(whole / kHalf);
  const auto low = static_cast<std::uint64_t>(whole % kHalf);
  auto fraction = static_cast<std::uint32_t>(magnitude % kUnitsPerOne);

  std::array<char, 64> text = {};
  char* const end = text.data() + text.size();
  char* at = text.data();
  if (units_ < 0) *at++ = '-';
  if (high != 0) {
    at = std::to_chars(at, end, high).ptr;
    at = std::fill_n(at, 18, '0');
    for (auto [rest, digit] = std::pair(low, at - 1); rest != 0; rest /= 10) {
      *digit-- = static_cast<char>('0' + rest % 10);
    }
  } else {
    at = std::to_chars(at, end, low).ptr;
  }
  if (fraction != 0) {
    int places = 8;
    for (; fraction % 10 == 0; fraction /= 10) --places;
    *at++ = '.';
    for (char* digit = at + places; digit != at; fraction /= 10) {
      *--digit = static_cast<char>('0' + fraction % 10);
    }
    at += places;
  }
  return {text.data(), at};
}

std::string Decimal::sort_key() const {
  __extension__ using Bits = unsigned __int128;
  auto bits = static_cast<Bits>(units_) ^ (static_cast<Bits>(1) << 127);  // negatives come first
  std::string key(16, '\0');
  for (auto byte = key.rbegin(); byte != key.rend(); ++byte, bits >>= 8) {
    *byte = static_cast<char>(static_cast<unsigned char>(bits));
  }
  return key;
}

std::optional<Decimal> Decimal::product(const Decimal& a, const Decimal& b) {
  const Units x = a.units_ < 0 ? -a.units_ : a.units_;
  const Units y = b.units_ < 0 ? -b.units_ : b.units_;
  // A product that is far too large might overflow Units, so it is not computed.
  if (y != 0 && x / kUnitsPerOne > kBound / y) return std::nullopt;
  // x × y / 10^8; the whole part of x leaves no remainder.
  const Units rest = x % kUnitsPerOne * y;
  Decimal result;
  result.units_ =
      half_even(x / kUnitsPerOne * y + rest / kUnitsPerOne, rest % kUnitsPerOne, kUnitsPerOne);
  if (result.units_ >= kBound) return std::nullopt;
  if ((a.units_ < 0) != (b.units_ < 0)) result.units_ = -result.units_;
  return result;
}

std::optional<Decimal> Decimal::per_hectare(const Decimal& a, const Decimal& b) {
  if (a.units_ == 0 || b.units_ == 0) return std::nullopt;
  // 10000 × 10^8 / (a/10^8 × b/10^8), in units: 10^28 over the product of the units.
  constexpr Units kDividend = static_cast<Units>(100'000'000'000'000) * 100'000'000'000'000;
  const Units x = a.units_ < 0 ? -a.units_ : a.units_;
  const Units y = b.units_ < 0 ? -b.units_ : b.units_;
  Decimal result;
  // A product beyond twice the dividend leaves less than half a unit. It might overflow Units, so
  // it is not computed.
  if (x > 2 * kDividend / y) return result;
  const Units divisor = x * y;
  result.units_ = half_even(kDividend / divisor, kDividend % divisor, divisor);
  if (result.units_ >= kBound) return std::nullopt;
  if ((a.units_ < 0) != (b.units_ < 0)) result.units_ = -result.units_;
  return result;
}

}  // namespace tilth
