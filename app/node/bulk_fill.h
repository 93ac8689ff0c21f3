// Fills a generation that is empty all at once, where that can be done.

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

// Hears how far it has come; may wait, and says false where it is to end. Threads: several.
using OnFilled = std::function<bool(const BulkFold::Progress&)>;

// Up to `ends`; how many records that were. Where it cannot be done the store is as it was, and
// anyone who folds page by page does all of it; a line says why.
std::uint64_t fill_in_bulk(const BulkFill& parts, RocksStore& store,
                           const OperatorOverrides& orders, const std::vector<Position>& ends,
                           const OnFilled& on_filled);

}  // namespace tilth
