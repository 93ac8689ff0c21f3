// The resources that the process uses.

#pragma once

#include <optional>

namespace tilth {

struct Footprint {
  double cpu_seconds = 0;
  double start_time_seconds = 0;  // since 1970
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double threads = 0;
  double open_files = 0;
  double most_files = 0;  // that may be open
};

// As Linux reports it; null if it does not.
std::optional<Footprint> footprint();

}  // namespace tilth
