// The secret under which API keys are digested, which all nodes of one log must have in common.

#pragma once

#include <string>

#include "events/log/event_log.h"

namespace tilth {

// The secret that the first node left in `log`, a log of its own next to the history; `own` if
// there was none, which is left there now. Of nodes that start together all get the same.
//
//   kUnavailable  the log does not answer.
Result<std::string> share_secret(EventLog& log, const std::string& node, const std::string& own);

}  // namespace tilth
