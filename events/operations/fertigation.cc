#include "events/operations/fertigation.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> fertigation_events() {
  return codecs_of<FertigationRecorded, FertigationRemoved>();
}

}  // namespace tilth
