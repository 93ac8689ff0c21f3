#include "events/operations/soil_sample.h"

#include "events/log/event_codec.h"

namespace tilth {

void SoilSampleDetails::check(Issues& issues) const {
  const auto is_wrong = [&](const char* name) { return issues.contains(name); };
  if (is_wrong("depthFromCm") || is_wrong("depthToCm")) return;
  if (depth_from_cm.has_value() != depth_to_cm.has_value()) {
    issues[depth_from_cm ? "depthToCm" : "depthFromCm"].emplace_back("is required with the other");
  } else if (depth_from_cm && *depth_from_cm >= *depth_to_cm) {
    issues["depthToCm"].emplace_back("must be more than depthFromCm");
  }
}

std::vector<EventCodec> soil_sample_events() {
  return codecs_of<SoilSampleRecorded, SoilSampleRemoved>();
}

}  // namespace tilth
