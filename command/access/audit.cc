#include "command/access/audit.h"

namespace tilth {

Decision decide(const Rows& rows, const RecordAudit& command, const Context&) {
  if (rows.find(command.entry.audit_id)) return std::nullopt;
  return command.entry;
}

}  // namespace tilth
