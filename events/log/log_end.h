// Where a log ends, for callers that may block.

#pragma once

#include <cstdint>
#include <vector>

#include "events/log/event_log.h"

namespace tilth {

// The result of EventLog::end(). Do not call it from a completion of the log.
Result<std::int64_t> end_of(EventLog& log, int partition);

// The ends of all partitions, in order, asked for at the same time. For callers that cannot
// continue without them: it retries a few times on kUnavailable.
Result<std::vector<Position>> ends_of(EventLog& log);
// The same, of these partitions.
Result<std::vector<Position>> ends_of(EventLog& log, const std::vector<int>& partitions);

}  // namespace tilth
