// A calendar month of UTC: how long a plan counts AI requests, and what a subscription runs for.

#pragma once

#include <chrono>

#include "events/values/time.h"

namespace tilth {

struct Month {
  std::chrono::year_month month = {};

  static Month of(Timestamp at) {
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(at.at));
    return {day.year() / day.month()};
  }
  Timestamp begin() const { return {std::chrono::sys_days(month / 1)}; }
  Timestamp end() const { return {std::chrono::sys_days((month + std::chrono::months(1)) / 1)}; }
};

}  // namespace tilth
