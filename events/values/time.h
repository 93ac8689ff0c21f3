// Instants and calendar dates, as text in ISO 8601.

#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/textual.h"

namespace tilth {

// An instant in UTC, to the millisecond: "2026-03-01T06:30:00.000Z". Parsed from RFC 3339 with Z or
// any offset; seconds are optional, further digits are cut. A plain date is that day's 00:00Z.
struct Timestamp {
  static constexpr std::string_view kExpected =
      "an ISO 8601 datetime with Z or an offset, or a date";
  static constexpr std::string_view kFormat = "date-time";
  std::chrono::sys_time<std::chrono::milliseconds> at = {};

  static Timestamp earliest() { return {std::chrono::sys_time<std::chrono::milliseconds>::min()}; }
  static std::optional<Timestamp> parse(std::string_view text);
  std::string text() const;
  void append_to(std::string& out) const;
  std::string sort_key() const;  // 8 bytes that sort like the instant
  static Timestamp of_sort_key(std::string_view eight_bytes);
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// A calendar date: "2026-03-01". A datetime gives its date as written, whatever its offset, which
// is optional.
struct Date {
  static constexpr std::string_view kExpected = "a date, YYYY-MM-DD";
  static constexpr std::string_view kFormat = "date";
  std::chrono::sys_days day = {};

  static std::optional<Date> parse(std::string_view text);
  std::string text() const;
  void append_to(std::string& out) const;
  std::string sort_key() const;  // 4 bytes that sort like the date
  static Date of_sort_key(std::string_view four_bytes);
  friend auto operator<=>(const Date&, const Date&) = default;
};

// The port for the current time, for everything but the log's adapters. Threads: any.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

}  // namespace tilth
