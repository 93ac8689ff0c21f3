// Where a log ends, for anyone who may wait for the answer.

#pragma once

#include <cstdint>
#include <vector>

#include "events/log/event_log.h"

namespace tilth {

// As EventLog::end() tells. Not from a completion of the log.
Result<std::int64_t> end_of(EventLog& log, int partition);

// Of every partition, in their order. For anyone who cannot go on without: a log that says
// kUnavailable is asked again, a few times.
Result<std::vector<Position>> ends_of(EventLog& log);

}  // namespace tilth
