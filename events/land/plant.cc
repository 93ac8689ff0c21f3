#include "events/land/plant.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> plant_events() {
  return codecs_of<PlantRegistered, PlantAmended, PlantRemoved>();
}

}  // namespace tilth
