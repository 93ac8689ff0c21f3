// Fills empty generations in bulk, if possible.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "infra/bulk/bulk_fold.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

struct BulkFill {
  BulkFold::Target target;
  // Receives the progress; may block, and returns false to cancel all of it. Threads: several.
  std::function<bool(const BulkFold::Progress&)> on_filled;
};

// Folds up to `ends`, all of them together, and returns the number of records of each. Of one that
// it cannot fill, returns 0 and leaves the store unchanged, so that folding page by page does all
// of it; a log line says why.
std::vector<std::uint64_t> fill_in_bulk(EventLog& log, LogLines& log_lines,
                                        const std::vector<BulkFill>& fills,
                                        const std::vector<Position>& ends);

}  // namespace tilth
