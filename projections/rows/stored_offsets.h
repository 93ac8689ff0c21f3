// The position of a projection's rows, stored among them.

#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

// No stream begins with this byte.
inline constexpr std::string_view kStoredOffsets = "\1offset";

// The first record of a partition that is not folded yet.
inline std::pair<std::string, std::string> stored_offset(const Position& next) {
  return {std::string(kStoredOffsets) + std::to_string(next.partition),
          std::to_string(next.offset)};
}

inline std::int64_t read_stored_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace tilth
