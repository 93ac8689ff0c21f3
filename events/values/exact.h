// Exact arithmetic on decimals: fractions that are rounded once, at the end, and give the same
// result on every machine and in any order of addition.

#pragma once

#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include "events/values/computed.h"
#include "events/values/decimal.h"

namespace tilth {

// Without expression templates, so that each operation yields a value at once.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;
using Fraction = boost::multiprecision::number<
    boost::multiprecision::rational_adaptor<boost::multiprecision::cpp_int_backend<>>,
    boost::multiprecision::et_off>;

Fraction exact(const Decimal& decimal);

// The fraction of a decimal number in text, such as "0.40468564224".
Fraction exact(const char* text);

// 10^power; `power` must not be negative.
Integer power_of_ten(int power);

// The nearest whole number; a tie goes to the even one.
Integer half_even(const Fraction& value);
Integer half_even(const Integer& dividend, const Integer& divisor);  // divisor > 0

// Half-even to `digits` digits after the point, in canonical form: "12.5".
std::string rounded(const Fraction& value, int digits);

// units × 10^-digits in canonical form.
std::string scaled_text(const Integer& units, int digits);

inline Computed computed(const Fraction& value, int digits) { return {rounded(value, digits)}; }

}  // namespace tilth
