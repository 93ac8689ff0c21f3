#include "projections/access/audit.h"

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<AuditEntry>;

void evolve(MutableRows& rows, const AuditRecorded& e) { rows.put(AuditEntry{e.audit_id, e}); }

ResourceRows audit_rows() {
  return {.rows = {row_type<AuditEntry>()}, .handlers = evolving<AuditRecorded>()};
}

}  // namespace tilth
