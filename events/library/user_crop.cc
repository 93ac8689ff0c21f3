#include "events/library/user_crop.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> user_crop_events() {
  return codecs_of<UserCropAdded, UserCropRenamed, UserCropRemoved>();
}

}  // namespace tilth
