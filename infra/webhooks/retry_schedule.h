// When a delivery that failed is tried again.

#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilth {

inline constexpr std::array<std::chrono::milliseconds, 10> kRetryDelays{
    std::chrono::seconds(5),  std::chrono::minutes(1), std::chrono::minutes(5),
    std::chrono::minutes(30), std::chrono::hours(2),   std::chrono::hours(5),
    std::chrono::hours(10),   std::chrono::hours(14),  std::chrono::hours(20),
    std::chrono::hours(24)};

// The delay after that many attempts, give or take a tenth, so that what failed together is not
// tried again together. `random` is from 0 to 1. Null: the last attempt was made.
inline std::optional<std::chrono::milliseconds> retry_delay(std::int64_t attempts, double random) {
  constexpr double kSpread = 0.1;
  if (attempts < 1 || attempts > static_cast<std::int64_t>(kRetryDelays.size()))
    return std::nullopt;
  const auto delay = kRetryDelays.at(static_cast<std::size_t>(attempts - 1));
  const auto factor = 1 - kSpread + 2 * kSpread * random;
  return std::chrono::milliseconds(std::llround(static_cast<double>(delay.count()) * factor));
}

}  // namespace tilth
