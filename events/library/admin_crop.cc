#include "events/library/admin_crop.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> admin_crop_events() { return codecs_of<AdminCropDescribed>(); }

}  // namespace tilth
