#include "events/operations/irrigation.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> irrigation_events() {
  return codecs_of<IrrigationRecorded, IrrigationRemoved>();
}

}  // namespace tilth
