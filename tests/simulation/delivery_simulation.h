// One run of nodes that send events to webhooks, owners who change these, and receivers.

#pragma once

#include <cstdint>
#include <ostream>

#include "tests/simulation/simulation.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// kOneSends: the nodes hold everything, and agree which of them sends; or there is one node.
// kDivided: each sends for the owners of which it is the first.
enum class Senders : std::uint8_t { kOneSends, kDivided };
inline std::ostream& operator<<(std::ostream& out, Senders senders) {
  return out << (senders == Senders::kOneSends ? "OneSends" : "Divided");
}

SimulationReport simulate_deliveries(std::uint64_t seed, Senders senders,
                                     PlantedBug bug = PlantedBug::kNone);

}  // namespace tilth::testing
