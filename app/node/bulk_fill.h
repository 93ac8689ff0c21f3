// Fills an empty generation in bulk, if possible.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "infra/bulk/bulk_fold.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

struct BulkFill {
  EventLog& log;
  const Projection& projection;
  LogLines& log_lines;
};

// Receives the progress; may block, and returns false to cancel. Threads: several.
using OnFilled = std::function<bool(const BulkFold::Progress&)>;

// Folds up to `ends` and returns the number of records. If it cannot, returns 0 and leaves the
// store unchanged, so that folding page by page does all of it; a log line says why.
std::uint64_t fill_in_bulk(const BulkFill& parts, RocksStore& store,
                           const OperatorOverrides& orders, const std::vector<Position>& ends,
                           const OnFilled& on_filled);

}  // namespace tilth
