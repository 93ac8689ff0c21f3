#include "events/land/farm.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> farm_events() {
  return codecs_of<FarmRegistered, FarmAmended, FarmRemoved>();
}

}  // namespace tilth
