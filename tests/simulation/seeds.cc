#include "tests/simulation/seeds.h"

#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

namespace tilth::testing {

std::uint64_t seed_setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

void find_planted_bug(
    const std::function<std::vector<std::string>(std::uint64_t seed)>& violations) {
  constexpr std::uint64_t kSeeds = 2'000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto found = violations(seed);
    if (found.empty()) continue;
    std::cout << "seed " << seed << ": " << found.front() << "\n";
    return;
  }
  FAIL() << "not found in " << kSeeds << " seeds";
}

}  // namespace tilth::testing
