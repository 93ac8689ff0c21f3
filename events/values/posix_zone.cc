#include "events/values/posix_zone.h"

#include <algorithm>
#include <utility>

namespace tilth {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

// Consumes text from the left. After an unexpected character the whole parse has failed.
class PosixZone::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { good_ = skip(c) && good_; }

  void name() {
    const bool quoted = skip('<');
    std::size_t length = 0;
    while (length < rest_.size() && (quoted ? rest_[length] != '>' : is_letter(rest_[length]))) {
      ++length;
    }
    good_ = good_ && length >= 3;
    rest_.remove_prefix(length);
    if (quoted) expect('>');
  }

  int number(int at_least, int at_most) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      value = value * 10 + (rest_[digits] - '0');
    }
    good_ = good_ && digits > 0 && value >= at_least && value <= at_most;
    rest_.remove_prefix(digits);
    return value;
  }

  // [+-]h[:mm[:ss]]
  seconds time(int hours_at_most) {
    const bool negative = skip('-');
    if (!negative) skip('+');
    seconds value = hours(number(0, hours_at_most));
    if (skip(':')) value += minutes(number(0, 59));
    if (skip(':')) value += seconds(number(0, 59));
    return negative ? -value : value;
  }

  Change change() {
    Change read;
    if (skip('M')) {
      read.kind = Change::Day::kWeekdayOfMonth;
      read.month = number(1, 12);
      expect('.');
      read.week = number(1, 5);
      expect('.');
      read.day = number(0, 6);
    } else if (skip('J')) {
      read.kind = Change::Day::kJulian;
      read.day = number(1, 365);
    } else {
      read.day = number(0, 365);
    }
    if (skip('/')) read.time = time(167);
    return read;
  }

  bool offset_follows() const {
    return !rest_.empty() &&
           (is_digit(rest_.front()) || rest_.front() == '-' || rest_.front() == '+');
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<PosixZone> PosixZone::parse(std::string_view text) {
  Reader reader(text);
  PosixZone zone;
  reader.name();
  zone.standard_ = -reader.time(24);  // POSIX offsets count westward
  if (!reader.at_end()) {
    reader.name();
    zone.summer_ = reader.offset_follows() ? -reader.time(24) : zone.standard_ + hours(1);
    zone.changes_ = std::array<Change, 2>();
    for (auto& change : *zone.changes_) {
      reader.expect(',');
      change = reader.change();
    }
  }
  return reader.good() && reader.at_end() ? std::optional(zone) : std::nullopt;
}

sys_seconds PosixZone::Change::in(year in_year) const {
  const sys_days first = in_year / std::chrono::January / 1;
  switch (kind) {
    case Day::kJulian:  // 29 February is not counted
      return first + days(day - 1 + (in_year.is_leap() && day >= 60 ? 1 : 0)) + time;
    case Day::kDayOfYear:
      return first + days(day) + time;
    case Day::kWeekdayOfMonth:
      break;
  }
  const auto of_month = in_year / std::chrono::month(static_cast<unsigned>(month));
  const std::chrono::weekday weekday(static_cast<unsigned>(day));
  if (week == 5) return sys_days(of_month / weekday[std::chrono::last]) + time;
  return sys_days(of_month / weekday[static_cast<unsigned>(week)]) + time;
}

seconds PosixZone::offset_at(sys_seconds at) const {
  if (!changes_) return standard_;
  // In UTC a change may fall in the adjacent year. Of two at one instant, the one to summer time
  // counts: that is how a zone is written that has summer time only.
  const auto around = std::chrono::year_month_day(std::chrono::floor<days>(at)).year();
  std::pair<sys_seconds, bool> latest{sys_seconds::min(), false};
  for (auto each = around - std::chrono::years(1); each <= around + std::chrono::years(1); ++each) {
    const std::pair to_summer{(*changes_)[0].in(each)-standard_, true};
    const std::pair to_standard{(*changes_)[1].in(each)-summer_, false};
    for (const auto& change : {to_summer, to_standard}) {
      if (change.first <= at) latest = std::max(latest, change);
    }
  }
  return latest.second ? summer_ : standard_;
}

}  // namespace tilth
