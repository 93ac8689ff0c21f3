// Exact arithmetic for what is computed from decimals: fractions that are rounded once, at the end,
// and come out the same on every machine and in whatever order they are added up.

#pragma once

#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include "events/values/computed.h"
#include "events/values/decimal.h"

namespace tilth {

// Without expression templates: what is computed is a value at once.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;
using Fraction = boost::multiprecision::number<
    boost::multiprecision::rational_adaptor<boost::multiprecision::cpp_int_backend<>>,
    boost::multiprecision::et_off>;

Fraction exact(const Decimal& decimal);

// The fraction that a decimal number is in text, such as "0.40468564224".
Fraction exact(const char* text);

// 10^power, of a power that is not negative.
Integer power_of_ten(int power);

// The nearest whole number, or the even one between two.
Integer half_even(const Fraction& value);
Integer half_even(const Integer& dividend, const Integer& divisor);  // which is more than 0

// Half-even to so many digits after the point, in canonical form: "12.5".
std::string rounded(const Fraction& value, int digits);

// units × 10^-digits in canonical form.
std::string scaled_text(const Integer& units, int digits);

inline Computed computed(const Fraction& value, int digits) { return {rounded(value, digits)}; }

}  // namespace tilth
