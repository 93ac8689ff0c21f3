#include "events/access/audit.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> audit_events() { return codecs_of<AuditRecorded>(); }

}  // namespace tilth
