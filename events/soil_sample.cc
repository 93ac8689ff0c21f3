#include "events/soil_sample.h"

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

}  // namespace tilth
