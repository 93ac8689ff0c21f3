// What is kept of converted sums while exchange rates arrive late or are corrected.

#pragma once

#include <string>

#include "tests/simulation/simulated_log.h"

namespace tilth::testing {

// Folds the log as a node whose readers ask for each farm's money between imports of rates. Returns
// where that differs from a conversion that keeps nothing; empty: nowhere.
std::string wrong_in_kept_conversions(const SimulatedTopic& topic);

}  // namespace tilth::testing
