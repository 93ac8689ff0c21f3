// The rule for a time zone's future clock changes, as POSIX writes it and every file of the tz
// database ends with: "EST5EDT,M3.2.0,M11.1.0".

#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

namespace tilth {

// Valid for any year, including those beyond the tables of the tz database.
class PosixZone {
 public:
  // Null if the text is no such rule (RFC 8536, 3.3; hours may be up to 167, and negative).
  static std::optional<PosixZone> parse(std::string_view text);

  std::chrono::seconds offset_at(std::chrono::sys_seconds at) const;  // east of UTC

 private:
  // A day of a year and a time of that day, on the clocks as they are before the change.
  struct Change {
    enum class Day { kJulian, kDayOfYear, kWeekdayOfMonth } kind = Day::kDayOfYear;
    int month = 0, week = 0, day = 0;
    std::chrono::seconds time = std::chrono::hours(2);

    std::chrono::sys_seconds in(std::chrono::year year) const;  // as those clocks show it
  };
  class Reader;

  std::chrono::seconds standard_{0}, summer_{0};
  std::optional<std::array<Change, 2>> changes_;  // to summer time, and back
};

}  // namespace tilth
