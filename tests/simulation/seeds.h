// What tests of simulations do with seeds.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilth::testing {

// A number from the environment.
std::uint64_t seed_setting(const char* name, std::uint64_t otherwise);

// Expects that one of the first seeds has a violation, and prints it. `violations`: of a seed.
void find_planted_bug(
    const std::function<std::vector<std::string>(std::uint64_t seed)>& violations);

}  // namespace tilth::testing
