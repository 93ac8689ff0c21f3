#include "events/finance/overhead.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> overhead_events() { return codecs_of<OverheadRecorded, OverheadRemoved>(); }

}  // namespace tilth
