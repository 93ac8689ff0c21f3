// A span of time such as "one month" or "24 hours", as text in ISO 8601: "P1M", "PT24H".

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/textual.h"
#include "events/values/time.h"

namespace tilth {

// Years and months follow the calendar, the rest the clock: a day is 24 hours. Parsed from
// "P1Y2M3W4DT5H6M7.5S". Parts may be left out, but not all; they are in this order and not
// negative. Only seconds may have a fraction, of at most three digits.
struct CalendarDuration {
  static constexpr std::string_view kExpected = "an ISO 8601 duration, such as PT24H or P1M";
  std::int64_t months = 0;
  std::int64_t milliseconds = 0;

  static std::optional<CalendarDuration> parse(std::string_view text);
  std::string text() const;  // the shortest of equal spellings, such as "P1Y2M3DT4H0.5S"
  friend bool operator==(const CalendarDuration&, const CalendarDuration&) = default;
};

// The instant `duration` after `start`. The months are added first, where a day that the month
// lacks becomes its last day (a month after 31 January is 28 or 29 February), then the rest.
// Nothing beyond the year 9999.
std::optional<Timestamp> after(Timestamp start, CalendarDuration duration);

}  // namespace tilth
