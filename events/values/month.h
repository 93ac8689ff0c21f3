// A calendar month in UTC: the period of a plan's AI request limit and of a subscription.

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
