// read_polygon judges any rings in little time, whatever their shape.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

#include "events/json/json.h"
#include "events/values/geometry.h"

namespace {

constexpr std::size_t kMostPositions = 10'000;
constexpr double kMostCpuSeconds = 0.5;  // ten times what it may take without sanitizers

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// Rings from a few bytes: each four are a shape, which is repeated with a shift up to the number of
// positions that a request may have. So short inputs reach the costly families.
std::string rings_of(const std::uint8_t* bytes, std::size_t size) {
  if (size < 8) return {};
  const std::size_t corners = 2 + bytes[0] % 60, repeats = 1 + bytes[1] * 40U;
  const bool one_ring = bytes[2] % 2 == 0, with_shell = bytes[2] % 4 > 1;
  const double east = bytes[3] / 2560.0, north = bytes[4] / 2560.0, scale = 1 + bytes[5];
  const auto position = [&](std::size_t corner, std::size_t repeat) {
    const auto at = 6 + (2 * corner) % (size - 7);
    const double shift = static_cast<double>(repeat);
    return "[" + std::to_string(bytes[at] / scale + east * shift) + "," +
           std::to_string(bytes[at + 1] / scale / 3 + north * shift) + "]";
  };
  std::string rings = with_shell ? "[[-1,-1],[179,-1],[179,89],[-1,89],[-1,-1]]" : "", ring;
  std::size_t positions = 5;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    if (positions + corners + 2 > kMostPositions) break;
    for (std::size_t corner = 0; corner < corners; ++corner) {
      ring.append(ring.empty() ? "" : ",").append(position(corner, repeat));
    }
    positions += corners;
    if (one_ring) continue;
    rings.append(rings.empty() ? "[" : ",[").append(ring).append(",");
    rings.append(position(0, repeat)).append("]");
    ++positions;
    ring.clear();
  }
  if (one_ring) rings.append(rings.empty() ? "[" : ",[").append(ring + "," + position(0, 0) + "]");
  return R"({"type":"Polygon","coordinates":[)" + rings + "]}";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto json = tilth::parse_json(rings_of(bytes, size));
  if (!json) return 0;
  tilth::Issues issues;
  const double begun = cpu_seconds();
  const auto polygon = tilth::read_polygon(*json, true, issues, "geometry");
  if (cpu_seconds() - begun > kMostCpuSeconds) std::abort();
  if (polygon.has_value() != issues.empty()) std::abort();
  return 0;
}
