#include "tests/simulation/seeds.h"

#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

namespace tilth::testing {
namespace {

std::string told(const SimulationReport& report) {
  std::string text;
  for (const auto& each : report.violations) text += each + "\n";
  return text;
}

}  // namespace

std::uint64_t seed_setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

void expect_no_violations(std::uint64_t first, std::uint64_t seeds,
                          const std::function<SimulationReport(std::uint64_t seed)>& run) {
  SimulationReport sum;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto report = run(seed);
    ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ": " << told(report);
    sum.attempts += report.attempts;
    sum.known += report.known;
    sum.records += report.records;
    sum.steps += report.steps;
    sum.crashes += report.crashes;
  }
  std::cout << seeds << " seeds: " << sum.attempts << " requests, " << sum.known
            << " with a result, " << sum.records << " records, " << sum.crashes << " crashes, "
            << sum.steps << " steps\n";
  EXPECT_GT(sum.known, seeds);
}

void find_planted_bug(
    std::uint64_t known,
    const std::function<std::vector<std::string>(std::uint64_t seed)>& violations) {
  constexpr std::uint64_t kSeeds = 2'000;
  const auto finds = [&](std::uint64_t seed) {
    const auto found = violations(seed);
    if (!found.empty()) std::cout << "seed " << seed << ": " << found.front() << "\n";
    return !found.empty();
  };
  if (finds(known)) return;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    if (finds(seed)) return;
  }
  FAIL() << "not found in " << kSeeds << " seeds";
}

}  // namespace tilth::testing
