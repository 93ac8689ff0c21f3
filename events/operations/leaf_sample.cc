#include "events/operations/leaf_sample.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> leaf_sample_events() {
  return codecs_of<LeafSampleRecorded, LeafSampleRemoved>();
}

}  // namespace tilth
