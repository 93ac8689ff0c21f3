// The time and the ids that the code of a simulated node asks for.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "events/values/ids.h"
#include "events/values/time.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// A node's clock, which is ahead of the world's.
class WorldClock final : public Clock {
 public:
  WorldClock(const World& world, std::chrono::milliseconds ahead) : world_(world), ahead_(ahead) {}
  Timestamp now() const override { return {world_.wall_clock().at + ahead_}; }

 private:
  const World& world_;
  const std::chrono::milliseconds ahead_;
};

inline IdSource ids_of(World& world) {
  return IdSource([&world](std::uint8_t* bytes, std::size_t count) {
    while (count-- > 0) *bytes++ = static_cast<std::uint8_t>(world.below(256));
  });
}

}  // namespace tilth::testing
