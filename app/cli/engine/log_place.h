// How an operator names a place in the log.

#pragma once

#include <string_view>

#include "app/cli/engine/command.h"

namespace tilth::cli {

// An instant, or an offset.
inline Values places_in_the_log() {
  const auto times = instants(), offsets = whole_numbers(0);
  return {times.expected + ", or an offset", [times, offsets](std::string_view text) {
            return times.accepts(text) || offsets.accepts(text);
          }};
}

inline bool is_offset(std::string_view place) { return whole_numbers(0).accepts(place); }

}  // namespace tilth::cli
