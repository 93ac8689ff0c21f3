#include "events/land/crop.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> crop_events() {
  return codecs_of<CropRegistered, CropAmended, CropRemoved>();
}

}  // namespace tilth
