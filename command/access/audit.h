// The command that adds to the audit trail.

#pragma once

#include "command/decision.h"
#include "projections/access/audit.h"

namespace tilth {

struct RecordAudit {
  AuditRecorded entry;
};

// AuditRecorded; nothing if this very entry is recorded already, since a record of unknown outcome
// is sent again.
Decision decide(const Rows&, const RecordAudit&, const Context&);

}  // namespace tilth
