// The secret with which API keys are digested, which all nodes of one log must share.

#pragma once

#include <string>

#include "events/log/event_log.h"

namespace tilth {

// The secret that the first node stored in `log`, a log of its own, separate from the history. If
// there is none, stores `own` there. Nodes that start together all get the same secret.
//
//   kUnavailable  the log does not respond.
Result<std::string> share_secret(EventLog& log, const std::string& node, const std::string& own);

}  // namespace tilth
