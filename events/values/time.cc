#include "events/values/time.h"

#include <cstddef>
#include <type_traits>

#include "events/values/big_endian.h"

namespace tilth {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

// A date, or a date with a time of day and an offset, as written.
struct Written {
  sys_days day;
  milliseconds since_midnight{0};
  minutes east_of_utc{0};
};

// Consumes text from the left. After an unexpected character the whole parse has failed.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool whole_and_good() const { return good_ && rest_.empty(); }

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(bool holds) { good_ = good_ && holds; }

  // Exactly `count` digits, at most `at_most`.
  int number(std::size_t count, int at_most) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const int digit = this->digit();
      if (digit < 0) good_ = false;
      value = value * 10 + digit;
    }
    if (value > at_most) good_ = false;
    return good_ ? value : 0;
  }

  // The next digit, else -1.
  int digit() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return -1;
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

milliseconds fraction_of_a_second(Scanner& scanner) {
  int digit = scanner.digit();
  scanner.expect(digit >= 0);
  int value = 0;
  for (int unit = 100; digit >= 0; unit /= 10, digit = scanner.digit()) value += digit * unit;
  return milliseconds(value);
}

minutes offset(Scanner& scanner) {
  if (scanner.skip('Z') || scanner.skip('z')) return minutes(0);
  const bool west = scanner.skip('-');
  scanner.expect(west || scanner.skip('+'));
  const hours hour(scanner.number(2, 23));
  scanner.expect(scanner.skip(':'));
  const auto east = hour + minutes(scanner.number(2, 59));
  return west ? -east : east;
}

enum class Offset { kRequired, kOptional };

std::optional<Written> parse_written(std::string_view text, Offset its_offset) {
  Scanner scanner(text);
  const std::chrono::year year(scanner.number(4, 9999));
  scanner.expect(scanner.skip('-'));
  const std::chrono::month month(static_cast<unsigned>(scanner.number(2, 12)));
  scanner.expect(scanner.skip('-'));
  const std::chrono::day day(static_cast<unsigned>(scanner.number(2, 31)));
  const year_month_day date(year, month, day);
  if (!date.ok()) return std::nullopt;
  Written written{sys_days(date)};
  if (!scanner.at_end()) {
    scanner.expect(scanner.skip('T') || scanner.skip('t'));
    written.since_midnight += hours(scanner.number(2, 23));
    scanner.expect(scanner.skip(':'));
    written.since_midnight += minutes(scanner.number(2, 59));
    if (scanner.skip(':')) {
      written.since_midnight += seconds(scanner.number(2, 59));  // leap seconds are not supported
      if (scanner.skip('.')) written.since_midnight += fraction_of_a_second(scanner);
    }
    const bool has_offset = its_offset == Offset::kRequired || !scanner.at_end();
    if (has_offset) written.east_of_utc = offset(scanner);
  }
  return scanner.whole_and_good() ? std::optional(written) : std::nullopt;
}

// Writes `value` with leading zeros, and returns the position after it.
char* write(char* at, std::size_t count, int value) {
  for (char* digit = at + count; digit != at; value /= 10) {
    *--digit = static_cast<char>('0' + value % 10);
  }
  return at + count;
}

constexpr std::string_view kTimestampForm = "0000-00-00T00:00:00.000Z";

// Appends a `form` that begins with 0000-00-00, with the date filled in; returns where the date
// ends. No text that we parse yields a year of other than four digits, but arithmetic might.
std::size_t append_date(std::string& out, sys_days day, std::string_view form) {
  const year_month_day date(day);
  const int year = int{date.year()};
  const auto begin = out.size();
  out.append(form);
  std::size_t digits = 4;
  if (year < 0 || year > 9999) {
    const auto spelled = std::to_string(year);
    out.replace(begin, digits, spelled);
    digits = spelled.size();
  } else {
    write(out.data() + begin, digits, year);
  }
  char* const rest = out.data() + begin + digits;
  write(rest + 1, 2, static_cast<int>(unsigned{date.month()}));
  write(rest + 4, 2, static_cast<int>(unsigned{date.day()}));
  return begin + digits + 6;
}

// Negatives come first.
template <class Bits>
constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);

template <class Integer>
std::string signed_key(Integer value) {
  using Bits = std::make_unsigned_t<Integer>;
  return big_endian(static_cast<Bits>(static_cast<Bits>(value) ^ kSign<Bits>));
}

template <class Integer>
Integer of_signed_key(std::string_view bytes) {
  using Bits = std::make_unsigned_t<Integer>;
  return static_cast<Integer>(read_big_endian<Bits>(bytes) ^ kSign<Bits>);
}

}  // namespace

std::optional<Timestamp> Timestamp::parse(std::string_view text) {
  const auto written = parse_written(text, Offset::kRequired);
  if (!written) return std::nullopt;
  const Timestamp parsed{written->day + written->since_midnight - written->east_of_utc};
  const auto year = year_month_day(floor<days>(parsed.at)).year();
  using std::chrono::operator""y;
  return year >= 0y && year <= 9999y ? std::optional(parsed) : std::nullopt;
}

std::string Timestamp::text() const {
  std::string text;
  text.reserve(kTimestampForm.size());
  append_to(text);
  return text;
}

void Timestamp::append_to(std::string& out) const {
  const auto day = floor<days>(at);
  const std::chrono::hh_mm_ss time(at - day);
  const auto date_end = append_date(out, day, kTimestampForm);
  char* const clock = out.data() + date_end;
  write(clock + 1, 2, static_cast<int>(time.hours().count()));
  write(clock + 4, 2, static_cast<int>(time.minutes().count()));
  write(clock + 7, 2, static_cast<int>(time.seconds().count()));
  write(clock + 10, 3, static_cast<int>(time.subseconds().count()));
}

Timestamp Timestamp::of_sort_key(std::string_view eight_bytes) {
  const auto count = of_signed_key<std::int64_t>(eight_bytes);
  return {std::chrono::sys_time<milliseconds>(milliseconds(count))};
}

std::string Timestamp::sort_key() const {
  return signed_key(static_cast<std::int64_t>(at.time_since_epoch().count()));
}

std::optional<Date> Date::parse(std::string_view text) {
  const auto written = parse_written(text, Offset::kOptional);
  return written ? std::optional(Date{written->day}) : std::nullopt;
}

std::string Date::text() const {
  std::string text;
  append_to(text);
  return text;
}

void Date::append_to(std::string& out) const { append_date(out, day, "0000-00-00"); }

std::string Date::sort_key() const {
  return signed_key(static_cast<std::int32_t>(day.time_since_epoch().count()));
}

Date Date::of_sort_key(std::string_view four_bytes) {
  return {sys_days(days(of_signed_key<std::int32_t>(four_bytes)))};
}

}  // namespace tilth
