// Shared by the bare closed-loop benchmarks: the payload and the report of the results.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilth::bench {

constexpr std::chrono::milliseconds kWarmUp{400};  // not counted

// Text that compresses like that of an event.
inline std::string noise(std::size_t bytes) {
  std::mt19937_64 random(1);
  std::string text(bytes, '\0');
  for (auto& c : text) c = static_cast<char>('a' + random() % 16);
  return text;
}

// Prints a line of JSON: writes per second, and the median and 99th percentile in microseconds.
// Throws if nothing was written.
inline void print_result(std::vector<std::uint32_t> microseconds, double seconds) {
  if (microseconds.empty()) throw std::runtime_error("nothing was written");
  std::sort(microseconds.begin(), microseconds.end());
  const auto count = microseconds.size();
  std::cout << "{\"perSecond\":" << static_cast<double>(count) / seconds
            << ",\"p50\":" << microseconds[count / 2]
            << ",\"p99\":" << microseconds[std::min(count * 99 / 100, count - 1)] << "}"
            << std::endl;
}

}  // namespace tilth::bench
