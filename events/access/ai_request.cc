#include "events/access/ai_request.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> ai_request_events() { return codecs_of<AiRequestReported>(); }

}  // namespace tilth
