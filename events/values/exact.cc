#include "events/values/exact.h"

#include <cstdlib>

namespace tilth {
namespace {

Fraction fraction_of(const WrittenNumber& number) {
  if (number.digits.empty()) return 0;
  const Integer digits(number.digits);
  const Integer scale = power_of_ten(static_cast<int>(std::abs(number.exponent)));
  const Fraction value = number.exponent < 0 ? Fraction(digits, scale) : Fraction(digits * scale);
  return number.negative ? Fraction(-value) : value;
}

}  // namespace

Fraction exact(const Decimal& decimal) {
  return fraction_of(*WrittenNumber::parse(decimal.text()));
}

Fraction exact(const char* text) { return fraction_of(WrittenNumber::parse(text).value()); }

Integer power_of_ten(int power) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(power));
}

Integer half_even(const Fraction& value) { return half_even(numerator(value), denominator(value)); }

Integer half_even(const Integer& dividend, const Integer& divisor) {
  Integer quotient, rest;
  divide_qr(Integer(abs(dividend)), divisor, quotient, rest);
  const Integer doubled = 2 * rest;
  if (doubled > divisor || (doubled == divisor && bit_test(quotient, 0))) ++quotient;
  return dividend < 0 ? Integer(-quotient) : quotient;
}

std::string rounded(const Fraction& value, int digits) {
  return scaled_text(half_even(value * power_of_ten(digits)), digits);
}

std::string scaled_text(const Integer& units, int digits) {
  std::string text = Integer(abs(units)).str();
  const auto places = static_cast<std::size_t>(digits);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) {
    text.insert(text.size() - places, 1, '.');
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return units < 0 ? "-" + text : text;
}

}  // namespace tilth
