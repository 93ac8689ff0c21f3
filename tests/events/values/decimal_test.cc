#include "events/values/decimal.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/events/values/oracle.h"

namespace tilth {
namespace {

std::string canonical(std::string_view text) {
  const auto decimal = Decimal::parse(text);
  return decimal ? decimal->text() : "refused";
}

TEST(Decimal, IsExactAndCanonical) {
  EXPECT_EQ(canonical("0012.50"), "12.5");
  EXPECT_EQ(canonical("-0.00"), "0");
  EXPECT_EQ(canonical("-5e-2"), "-0.05");
  EXPECT_EQ(canonical("+1.50E+2"), "150");
  EXPECT_EQ(canonical("0e999999999999"), "0");
  EXPECT_EQ(canonical("0.00000001000"), "0.00000001");
  EXPECT_EQ(canonical("123456789012345678.12345678"), "123456789012345678.12345678");
  EXPECT_EQ(canonical("-999999999999999999.99999999"), "-999999999999999999.99999999");
  EXPECT_EQ(canonical("999999999999999999"), "999999999999999999");
  EXPECT_EQ(canonical("0.1000000000000000000000000000000000000000000"), "0.1");
  EXPECT_EQ(Decimal().text(), "0");
  EXPECT_EQ(Decimal(INT64_MAX).text(), "9223372036854775807");
  EXPECT_EQ(Decimal(INT64_MIN).text(), "-9223372036854775808");
}

TEST(Decimal, IsRefusedWhenMalformedOrTooLong) {
  for (const auto* text : {"",
                           "-",
                           "+",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "e1",
                           " 1",
                           "1 ",
                           "0x1",
                           "1,5",
                           "1.5.2",
                           "--1",
                           "NaN",
                           "inf",
                           "1_000",
                           "\xD9\xA1",
                           "1e18",
                           "1e-9",
                           "0.0000000010",
                           "1e99999999999",
                           "1e-99999999999",
                           "1234567890123456789",
                           "0.123456789",
                           "1e99999999999999999999999999"}) {
    EXPECT_EQ(canonical(text), "refused") << text;
  }
  EXPECT_EQ(canonical(std::string_view("1\0", 2)), "refused");
}

TEST(Decimal, ComparesByValue) {
  EXPECT_LT(*Decimal::parse("9.9"), Decimal(10));
  EXPECT_EQ(*Decimal::parse("1e1"), Decimal(10));
  EXPECT_LT(*Decimal::parse("-10"), *Decimal::parse("-9.9"));
}

TEST(WrittenNumber, HasDigitsWithoutZerosAtEitherEndAndAnExponent) {
  const auto number = WrittenNumber::parse("-00120.03400e2");
  ASSERT_TRUE(number);
  EXPECT_TRUE(number->negative);
  EXPECT_EQ(number->digits, "120034");
  EXPECT_EQ(number->exponent, -1);
  EXPECT_EQ(number->whole_digits(), 5);
  const auto zero = WrittenNumber::parse("0.000e-5");
  EXPECT_EQ(zero->digits, "");
  EXPECT_EQ(zero->exponent, 0);
}

TEST(WrittenNumber, TakesAMegabyteOfDigitsAndAnyExponent) {
  const std::string nines(1 << 20, '9'), zeros(1 << 20, '0');
  EXPECT_EQ(WrittenNumber::parse(nines)->digits.size(), nines.size());
  EXPECT_EQ(WrittenNumber::parse("1" + zeros)->exponent, 1 << 20);
  EXPECT_EQ(WrittenNumber::parse("0." + zeros + "1")->exponent, -(1 << 20) - 1);
  EXPECT_GT(WrittenNumber::parse("1e" + nines)->whole_digits(), 1'000'000'000);
  EXPECT_LT(WrittenNumber::parse("1e-" + nines)->whole_digits(), -1'000'000'000);
  EXPECT_EQ(canonical(nines), "refused");
  EXPECT_EQ(canonical("0." + nines), "refused");
  EXPECT_EQ(canonical(zeros + "1." + zeros), "1");
  EXPECT_EQ(canonical("0." + zeros + "15e" + std::to_string(zeros.size() + 1)), "1.5");
  EXPECT_EQ(canonical("15" + zeros + "e-" + std::to_string(zeros.size())), "15");
}

TEST(Decimal, GivesPlantsPerHectareHalfEven) {
  const auto density = [](const char* a, const char* b) {
    const auto plants = Decimal::per_hectare(*Decimal::parse(a), *Decimal::parse(b));
    return plants ? plants->text() : "none";
  };
  EXPECT_EQ(density("0.75", "0.25"), "53333.33333333");
  EXPECT_EQ(density("3", "2"), "1666.66666667");
  EXPECT_EQ(density("0", "2"), "none");
  EXPECT_EQ(density("2", "0"), "none");
  EXPECT_EQ(density("0.00000001", "0.00000001"), "none");
  EXPECT_EQ(density("0.00000001", "0.000001"), "none");  // 10^18, one more than fits
  EXPECT_EQ(density("0.00000001", "0.00001"), "100000000000000000");
  EXPECT_EQ(density("2000000000000", "1"), "0");  // half of the last digit: to even
  EXPECT_EQ(density("2000000000000", "0.33333333"), "0.00000002");  // a little more than 1.5
  EXPECT_EQ(density("6666666666.66666666", "100"), "0.00000002");
  EXPECT_EQ(density("1600000000000", "0.25"), "0.00000002");  // 2.5 of the last digit
  EXPECT_EQ(density("999999999999999999.99999999", "999999999999999999.99999999"), "0");
}

TEST(Decimal, MultipliesHalfEven) {
  const auto product = [](const char* a, const char* b) {
    const auto value = Decimal::product(*Decimal::parse(a), *Decimal::parse(b));
    return value ? value->text() : "none";
  };
  EXPECT_EQ(product("12.5", "3.2"), "40");
  EXPECT_EQ(product("-0.3", "0.3"), "-0.09");
  EXPECT_EQ(product("0.00000001", "0.5"), "0");           // half of the last digit: to even
  EXPECT_EQ(product("0.00000003", "0.5"), "0.00000002");  // one and a half of it
  EXPECT_EQ(product("1.5", "0.00000001"), "0.00000002");  // the same, from a whole part that is odd
  EXPECT_EQ(product("2.5", "0.00000001"), "0.00000002");
  EXPECT_EQ(product("999999999999999999.99999999", "1"), "999999999999999999.99999999");
  EXPECT_EQ(product("999999999999999999.99999999", "1.00000001"), "none");
  EXPECT_EQ(product("999999999999999999.99999999", "999999999999999999.99999999"), "none");
  EXPECT_EQ(product("1000000000", "1000000000"), "none");
  EXPECT_EQ(product("0", "999999999999999999"), "0");
}

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  std::string digits(int count) {
    const bool zeros = up_to(5) == 0, nines = up_to(5) == 0;
    std::string digits;
    for (int i = 0; i < count; ++i) {
      const bool odd = up_to(9) == 0;
      digits += zeros && !odd ? '0' : nines && !odd ? '9' : static_cast<char>('0' + up_to(9));
    }
    return digits;
  }

  // A number in any notation, usually near the limits.
  std::string written() {
    std::string text = std::string(up_to(3) == 0 ? "-" : up_to(5) == 0 ? "+" : "");
    text += digits(1 + up_to(up_to(3) == 0 ? 40 : 20));
    if (up_to(2) != 0) text += "." + digits(1 + up_to(up_to(3) == 0 ? 40 : 10));
    if (up_to(2) == 0) text += (up_to(1) ? "e" : "E") + std::to_string(up_to(60) - 30);
    if (up_to(40) == 0)
      text.insert(static_cast<std::size_t>(up_to(int(text.size()))), 1, "+-.e x"[up_to(4)]);
    return text;
  }

  std::string valid() {
    for (;;) {
      auto text = (up_to(3) == 0 ? "-" : "") + digits(1 + up_to(17));
      if (up_to(3) != 0) text += "." + digits(1 + up_to(7));
      if (Decimal::parse(text)) return text;
    }
  }

 private:
  std::mt19937 random_;
};

std::string order(std::strong_ordering order) { return order < 0 ? "<" : order > 0 ? ">" : "="; }

TEST(Decimal, AgreesWithPythonOnAnyNumber) {
  const char* given = std::getenv("TILTH_TEST_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::atol(given)) : std::random_device()();
  SCOPED_TRACE("TILTH_TEST_SEED=" + std::to_string(seed));
  Numbers numbers(seed);
  testing::Oracle python("decimal_oracle.py");  // with arbitrary-precision decimals
  for (int i = 0; i < 5'000; ++i) {
    const auto text = numbers.written();
    python.ask("parse\t" + text, canonical(text));
  }
  for (int i = 0; i < 3'000; ++i) {
    const auto a = numbers.valid(), b = numbers.up_to(9) == 0
                                            ? a + (a.find('.') == a.npos ? ".0" : "0")
                                            : numbers.valid();
    const auto x = *Decimal::parse(a), y = *Decimal::parse(b);
    python.ask("order\t" + a + "\t" + b, order(x <=> y));
    python.ask("order\t" + a + "\t" + b, order(x.sort_key().compare(y.sort_key()) <=> 0));
    EXPECT_EQ(x.sort_key().size(), 16u);
  }
  // Products of 2, 5 and small factors, so that quotients terminate and ties occur.
  const auto spacing = [&] {
    if (numbers.up_to(3) == 0) return numbers.valid();
    std::int64_t units = 1;
    for (int i = numbers.up_to(25); i > 0; --i) units *= numbers.up_to(1) != 0 ? 2 : 5;
    units = units / (numbers.up_to(9) + 1) + 1 - numbers.up_to(1);
    return std::to_string(units) + "e-" + std::to_string(numbers.up_to(8));
  };
  for (int i = 0; i < 4'000; ++i) {
    const auto a = spacing(), b = spacing();
    const auto x = Decimal::parse(a), y = Decimal::parse(b);
    if (!x || !y) continue;
    const auto plants = Decimal::per_hectare(*x, *y);
    python.ask("per_hectare\t" + a + "\t" + b, plants ? plants->text() : "refused");
    const auto product = Decimal::product(*x, *y);
    python.ask("product\t" + a + "\t" + b, product ? product->text() : "refused");
  }
  python.compare();
}

}  // namespace
}  // namespace tilth
