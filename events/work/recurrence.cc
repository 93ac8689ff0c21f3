#include "events/work/recurrence.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"

namespace tilth {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

// An upper bound on the offset of local clocks from UTC, and on any single change of it.
constexpr days kMargin{2};
const local_days kFirstDay{std::chrono::year(1) / 1 / 1};
const local_days kLastDay{std::chrono::year(9999) / 12 / 31};

std::int64_t months_of(local_days day) {
  const year_month_day date(day);
  return std::int64_t{int{date.year()}} * 12 + unsigned{date.month()} - 1;
}

// The given day of a month, or its last day if it has fewer. Months are counted from year 0.
local_days day_in(std::int64_t month, std::int64_t day) {
  const auto in_year = std::chrono::year(static_cast<int>(month / 12));
  const auto of_month = in_year / std::chrono::month(static_cast<unsigned>(month % 12) + 1);
  const local_days last(of_month / std::chrono::last);
  return std::min(last, local_days(of_month / 1) + days(day - 1));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

local_days monday_of(local_days day) {
  return day - (std::chrono::weekday(day) - std::chrono::Monday);
}

std::string compact(std::chrono::local_seconds time) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d%02u%02uT%02d%02d%02d", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()},
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace

std::optional<DaysOfWeek> DaysOfWeek::read_json(const Json& json, bool check, Issues& issues,
                                                const std::string& path) {
  std::vector<std::int64_t> numbers;
  Issues faults;
  JsonReader::read(json, check ? Reading::kRequest : Reading::kStored, numbers, faults, path,
                   {.min = 0, .max = 6, .max_items = 100});
  DaysOfWeek read;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = path + "." + std::to_string(i);
    if (faults.contains(at) || numbers[i] < 0 || numbers[i] > 6) continue;
    const auto day = bit(std::chrono::weekday(static_cast<unsigned>(numbers[i])));
    if ((read.bits & day) != 0) faults[at].emplace_back("must not be repeated");
    read.bits |= day;
  }
  if (check && numbers.empty() && faults.empty()) faults[path].emplace_back("must not be empty");
  const bool good = faults.empty();
  for (auto& [at, messages] : faults) issues[at] = std::move(messages);
  return good ? std::optional(read) : std::nullopt;
}

void DaysOfWeek::write_json(std::string& out) const {
  std::vector<int> numbers;
  for (unsigned day = 0; day < 7; ++day) {
    if (has(std::chrono::weekday(day))) numbers.push_back(static_cast<int>(day));
  }
  JsonWriter::write(numbers, out);
}

Occurrences::Occurrences(const RecurrenceRule& rule, const TimeZone& zone)
    : rule_(rule), zone_name_(zone.name), clock_(zone), start_{floor<seconds>(rule.start.at)} {
  const auto shown = clock_.shows(floor<seconds>(start_.at));
  start_day_ = floor<days>(shown);
  time_of_day_ = shown - start_day_;
}

std::int64_t Occurrences::day_of_month() const {
  return rule_.day_of_month.value_or(unsigned{year_month_day(start_day_).day()});
}

std::int64_t Occurrences::month_of_year() const {
  return rule_.month_of_year.value_or(unsigned{year_month_day(start_day_).month()});
}

DaysOfWeek Occurrences::days_of_week() const {
  return rule_.days_of_week.value_or(DaysOfWeek::only(std::chrono::weekday(start_day_)));
}

// The start's day, week, month or year is number 0, and only every interval-th counts.
std::int64_t Occurrences::period_of(local_days day) const {
  const auto passed = [&]() -> std::int64_t {
    switch (rule_.pattern) {
      case RecurrencePattern::kDaily:
      case RecurrencePattern::kCustom:
        break;
      case RecurrencePattern::kWeekly:
        return (monday_of(day) - monday_of(start_day_)).count() / 7;
      case RecurrencePattern::kMonthly:
        return months_of(day) - months_of(start_day_);
      case RecurrencePattern::kYearly:
        return months_of(day) / 12 - months_of(start_day_) / 12;
    }
    return (day - start_day_).count();
  };
  return floor_divide(passed(), rule_.interval);
}

std::vector<local_days> Occurrences::days_of(std::int64_t period) const {
  const auto passed = period * rule_.interval;
  switch (rule_.pattern) {
    case RecurrencePattern::kDaily:
    case RecurrencePattern::kCustom:
      break;
    case RecurrencePattern::kWeekly: {
      std::vector<local_days> week;
      const auto monday = monday_of(start_day_) + days(7 * passed);
      for (auto day = monday; day < monday + days(7); day += days(1)) {
        if (days_of_week().has(std::chrono::weekday(day))) week.push_back(day);
      }
      return week;
    }
    case RecurrencePattern::kMonthly:
      return {day_in(months_of(start_day_) + passed, day_of_month())};
    case RecurrencePattern::kYearly:
      return {
          day_in((months_of(start_day_) / 12 + passed) * 12 + month_of_year() - 1, day_of_month())};
  }
  return {start_day_ + days(passed)};
}

// Searches the few periods around that instant.
std::optional<Occurrences::Nominal> Occurrences::search(Timestamp at, bool forward) const {
  const local_days around{floor<days>(at.at).time_since_epoch()};
  const int step = forward ? 1 : -1;
  for (auto period = std::max<std::int64_t>(period_of(around - step * kMargin), 0); period >= 0;
       period += step) {
    auto found = days_of(period);
    if (!forward) std::reverse(found.begin(), found.end());
    for (const auto day : found) {
      if (forward && day > kLastDay) return std::nullopt;
      if (day < start_day_ || day < kFirstDay || day > kLastDay) continue;
      const Timestamp occurrence{clock_.when(day + time_of_day_)};
      if (occurrence < start_ || (rule_.end && occurrence > *rule_.end)) continue;
      if (forward ? occurrence >= at : occurrence <= at) return Nominal{day, occurrence};
    }
    const bool beyond = forward && rule_.end && !found.empty() &&
                        Timestamp{clock_.when(found.back() + time_of_day_)} > *rule_.end;
    if (beyond) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Timestamp> Occurrences::first_from(Timestamp at) const {
  const auto found = search(std::max(at, start_), true);
  return found ? std::optional(found->at) : std::nullopt;
}

std::optional<Timestamp> Occurrences::last_until(Timestamp at) const {
  if (rule_.end) at = std::min(at, *rule_.end);
  if (at < start_) return std::nullopt;
  const auto found = search(at, false);
  return found ? std::optional(found->at) : std::nullopt;
}

Timestamp Occurrences::days_before(Timestamp occurrence, std::int64_t count) const {
  const auto found = search(occurrence, true);
  const auto day = found ? found->day : floor<days>(clock_.shows(floor<seconds>(occurrence.at)));
  return {clock_.when(day - days(count) + time_of_day_)};
}

Occurrences Occurrences::without_end() const {
  auto endless = *this;
  endless.rule_.end.reset();
  return endless;
}

// A day of the pattern, whatever its interval.
Occurrences::Nominal Occurrences::before_the_start() const {
  for (std::int64_t period = 0;; --period) {
    const auto found = days_of(period);
    for (auto day = found.rbegin(); day != found.rend(); ++day) {
      if (*day <= kLastDay) return {*day, {clock_.when(*day + time_of_day_)}};
    }
  }
}

std::string Occurrences::rrule() const {
  static constexpr std::array<const char*, 7> kDays{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
  static constexpr std::array<const char*, 5> kFrequencies{"DAILY", "WEEKLY", "MONTHLY", "YEARLY",
                                                           "DAILY"};
  auto first = search(start_, true);
  auto end = rule_.end;
  if (!first) first = without_end().search(start_, true);
  if (!first) {  // it would be after the year 9999
    first = before_the_start();
    end = {first->at.at - seconds(1)};
  }
  const auto begins = compact(first->day + time_of_day_);
  std::string text =
      zone_name_ == "UTC" ? "DTSTART:" + begins + "Z" : "DTSTART;TZID=" + zone_name_ + ":" + begins;
  text.append("\nRRULE:FREQ=").append(kFrequencies.at(static_cast<std::size_t>(rule_.pattern)));
  text.append(";INTERVAL=").append(std::to_string(rule_.interval));
  if (end) {
    const auto until = floor<seconds>(end->at).time_since_epoch();
    text.append(";UNTIL=").append(compact(std::chrono::local_seconds(until))).append("Z");
  }
  if (rule_.pattern == RecurrencePattern::kWeekly) {
    text.append(";BYDAY=");
    for (unsigned i = 1; i <= 7; ++i) {  // from Monday on
      if (!days_of_week().has(std::chrono::weekday(i))) continue;
      text.append(text.back() == '=' ? "" : ",").append(kDays.at(i % 7));
    }
  }
  const bool yearly = rule_.pattern == RecurrencePattern::kYearly;
  if (yearly) text.append(";BYMONTH=").append(std::to_string(month_of_year()));
  if (yearly || rule_.pattern == RecurrencePattern::kMonthly) {
    const auto last = day_of_month();
    text.append(";BYMONTHDAY=").append(std::to_string(std::min<std::int64_t>(last, 28)));
    for (std::int64_t day = 29; day <= last; ++day) text.append(",").append(std::to_string(day));
    if (last > 28) text.append(";BYSETPOS=-1");
  }
  return text;
}

}  // namespace tilth
