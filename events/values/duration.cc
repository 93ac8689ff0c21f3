#include "events/values/duration.h"

#include <array>
#include <charconv>

namespace tilth {
namespace {

struct Unit {
  char letter;
  bool of_time;  // written after the T
  std::int64_t months;
  std::int64_t milliseconds;
};

constexpr std::array<Unit, 7> kUnits = {{{'Y', false, 12, 0},
                                         {'M', false, 1, 0},
                                         {'W', false, 0, 7 * 86'400'000LL},
                                         {'D', false, 0, 86'400'000},
                                         {'H', true, 0, 3'600'000},
                                         {'M', true, 0, 60'000},
                                         {'S', true, 0, 1'000}}};

// Numbers of this length do not overflow, even of the longest unit.
constexpr std::size_t kMostDigits = 9;
constexpr std::int64_t kMostOfOne = 999'999'999;

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

// ".5" is 500 ms.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.') && !text.starts_with(',')) return 0;
  text.remove_prefix(1);
  const auto before = text.size();
  auto value = take_number(text);
  const auto digits = before - text.size();
  if (!value || digits > 3) return std::nullopt;
  for (auto i = digits; i < 3; ++i) *value *= 10;
  return value;
}

void append(std::string& to, std::int64_t count, char letter) {
  if (count != 0) to += std::to_string(count) + letter;
}

}  // namespace

std::optional<CalendarDuration> CalendarDuration::parse(std::string_view text) {
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  CalendarDuration duration;
  bool in_time = false;
  bool complete = false;  // a required part is there: after the P, and after the T
  auto unit = kUnits.begin();
  while (!text.empty()) {
    if (!in_time && text.front() == 'T') {
      in_time = true;
      complete = false;
      text.remove_prefix(1);
      continue;
    }
    const auto count = take_number(text);
    if (!count) return std::nullopt;
    const bool fractional = text.starts_with('.') || text.starts_with(',');
    const auto fraction = take_fraction(text);
    if (!fraction || text.empty()) return std::nullopt;
    while (unit != kUnits.end() && (unit->letter != text.front() || unit->of_time != in_time))
      ++unit;
    if (unit == kUnits.end() || (fractional && unit->letter != 'S')) return std::nullopt;
    duration.months += *count * unit->months;
    duration.milliseconds += *count * unit->milliseconds + *fraction;
    complete = true;
    ++unit;
    text.remove_prefix(1);
  }
  // text() writes years and days, which must be read back.
  const bool readable =
      duration.months / 12 <= kMostOfOne && duration.milliseconds / 86'400'000 <= kMostOfOne;
  return complete && readable ? std::optional(duration) : std::nullopt;
}

std::string CalendarDuration::text() const {
  std::string date = "P";
  append(date, months / 12, 'Y');
  append(date, months % 12, 'M');
  append(date, milliseconds / 86'400'000, 'D');
  std::string time;
  append(time, milliseconds / 3'600'000 % 24, 'H');
  append(time, milliseconds / 60'000 % 60, 'M');
  append(time, milliseconds / 1'000 % 60, 'S');
  if (const auto rest = milliseconds % 1'000; rest != 0) {
    if (time.ends_with('S')) {
      time.pop_back();
    } else {
      time += '0';
    }
    auto digits = std::to_string(1'000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    time += "." + digits + "S";
  }
  if (!time.empty()) return date + "T" + time;
  return date == "P" ? "PT0S" : date;
}

std::optional<Timestamp> after(Timestamp start, CalendarDuration duration) {
  using std::chrono::days, std::chrono::milliseconds, std::chrono::year;
  constexpr auto kEnd = std::chrono::sys_days(year(10'000) / 1 / 1);
  constexpr std::int64_t kMostMonths = 120'000;
  if (duration.months > kMostMonths) return std::nullopt;
  const auto day = std::chrono::floor<days>(start.at);
  const auto time_of_day = start.at - day;
  auto date = std::chrono::year_month_day(day) + std::chrono::months(duration.months);
  if (!date.ok()) date = date.year() / date.month() / std::chrono::last;
  const auto by_calendar = std::chrono::sys_days(date) + time_of_day;
  if (by_calendar >= kEnd || milliseconds(duration.milliseconds) >= kEnd - by_calendar) {
    return std::nullopt;
  }
  return Timestamp{by_calendar + milliseconds(duration.milliseconds)};
}

}  // namespace tilth
