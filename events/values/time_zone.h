// Time zones and their wall clocks, from the operating system's tz database.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "events/values/textual.h"
#include "events/values/time.h"

namespace tilth {

// Any name in the installed tz database, spelled exactly as there.
struct TimeZone {
  static constexpr std::string_view kExpected = "a time zone of the tz database";
  std::string name = "UTC";
  static constexpr auto kWrapped = &TimeZone::name;

  static std::optional<TimeZone> parse(std::string_view text);
  static TimeZone stored(std::string text) { return {std::move(text)}; }
  std::string text() const { return name; }
  friend auto operator<=>(const TimeZone&, const TimeZone&) = default;
};

// A date and a time of day, as wall clocks show them.
using WallTime = std::chrono::local_seconds;

// The clocks of a zone, for all years; UTC's if the zone is not installed. Cheap to make, valid for
// as long as the program runs. Threads: any.
class WallClock {
 public:
  explicit WallClock(const TimeZone& zone);

  WallTime shows(std::chrono::sys_seconds at) const;

  // The instant at which the clocks show `time`: the first of two if they are set back; if they
  // skip it, the one at which they would have shown it without that change.
  std::chrono::sys_seconds when(WallTime time) const;

  struct Installed;

 private:
  std::chrono::seconds offset_at(std::chrono::sys_seconds at) const;

  const Installed* zone_;
};

// The date that clocks in `zone` show at `now`.
Date date_in(const TimeZone& zone, const Timestamp& now);

// The first instant of `date` in `zone`.
Timestamp start_of(const Date& date, const TimeZone& zone);

}  // namespace tilth
