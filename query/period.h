// from and to: the rows of a list whose time is within a period.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "events/json/described.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// The end of a period, inclusive; a plain date means all of that day in UTC.
struct LastInstant {
  static constexpr auto kExpected = Timestamp::kExpected;
  static constexpr auto kFormat = Timestamp::kFormat;
  Timestamp last;

  static std::optional<LastInstant> parse(std::string_view text) {
    constexpr std::size_t kPlainDate = 10;
    constexpr auto kToItsEnd = std::chrono::days(1) - std::chrono::milliseconds(1);
    auto last = Timestamp::parse(text);
    if (last && text.size() == kPlainDate) last->at += kToItsEnd;
    return last ? std::optional(LastInstant{*last}) : std::nullopt;
  }
  std::string text() const { return last.text(); }
  Timestamp next() const { return {last.at + std::chrono::milliseconds(1)}; }
  friend bool operator<(const LastInstant& a, const Timestamp& b) { return a.last < b; }
};

struct LastDate : Date {
  static std::optional<LastDate> parse(std::string_view text) {
    const auto last = Date::parse(text);
    return last ? std::optional(LastDate{*last}) : std::nullopt;
  }
  Date next() const { return {day + std::chrono::days(1)}; }
};

// Both ends are inclusive, and either may be open. `Time` is the type of the rows' time: a
// Timestamp or a Date.
template <class Time>
struct Period {
  using Last = std::conditional_t<std::is_same_v<Time, Date>, LastDate, LastInstant>;
  std::optional<Time> from;
  std::optional<Last> to;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("from", from), member("to", to, {.doc = "Inclusive, as from is."}));
  }
  void check(Issues& issues) const {
    if (from && to && *to < *from) issues["to"].emplace_back("must not be before from");
  }

  std::optional<Time> until() const { return to ? std::optional(to->next()) : std::nullopt; }
};

}  // namespace tilth
