#include "events/access/erasure.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> erasure_events() { return codecs_of<UserErased, RecordsErased>(); }

}  // namespace tilth
