#include "events/log/request.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> request_events() { return codecs_of<RequestRefused, RequestAnswered>(); }

}  // namespace tilth
