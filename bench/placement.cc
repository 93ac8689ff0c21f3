// Simulates how nodes come and go, and measures what that moves and how evenly partitions are held.
//
// Usage: bench_placement CHANGES [NODES PARTITIONS COPIES SEED]
// Prints one JSON object: copies that moved per copy that had to, the most that a node held against
// the mean, and microseconds of CPU for one placement. Had to: those that a node which died had
// held, and those that a node which joined holds then.

#include "infra/cluster/placement.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace tilth;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The numbers of the nodes that hold each partition, in order.
using Holders = std::vector<std::vector<int>>;

constexpr std::string_view kName = "tilth-";
std::string name_of(int node) { return std::string(kName) + std::to_string(node); }

Holders numbers_of(const Placement& placement, int partitions) {
  std::vector<int> numbers;
  for (const auto& node : placement.nodes())
    numbers.push_back(std::stoi(node.substr(kName.size())));
  Holders all;
  for (int partition = 0; partition < partitions; ++partition) {
    auto& holders = all.emplace_back();
    for (const int holder : placement.holders_of(partition)) {
      holders.push_back(numbers.at(static_cast<std::size_t>(holder)));
    }
    std::sort(holders.begin(), holders.end());
  }
  return all;
}

// How many copies there are in `now` that were not in `before`.
std::size_t moves(const Holders& before, const Holders& now) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (const int node : now[i]) {
      if (!std::binary_search(before[i].begin(), before[i].end(), node)) ++count;
    }
  }
  return count;
}

std::size_t held_most(const Placement& placement, int partitions) {
  std::vector<std::size_t> held(placement.nodes().size());
  for (int partition = 0; partition < partitions; ++partition) {
    for (const int holder : placement.holders_of(partition)) {
      ++held.at(static_cast<std::size_t>(holder));
    }
  }
  return *std::max_element(held.begin(), held.end());
}

void run(int changes, int size, int partitions, int copies, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t count) { return random() % count; };
  int named = 0;
  std::vector<int> live;
  const auto join = [&] { live.push_back(named++); };
  const auto place = [&] {
    std::vector<std::string> names;
    for (const int node : live) names.push_back(name_of(node));
    return Placement(std::move(names), partitions, copies);
  };
  while (std::ssize(live) < size) join();
  auto before = numbers_of(place(), partitions);

  std::size_t moved = 0, had_to = 0;
  double least_even = 0;
  double seconds = 0;
  for (int change = 0; change < changes; ++change) {
    // Between four fifths and six fifths of the nodes live at a time.
    const auto count = std::ssize(live);
    const bool joins = count <= size * 4 / 5 || (count < size * 6 / 5 && below(2) == 0);
    int concerned = 0;
    if (joins) {
      join();
      concerned = live.back();
    } else {
      auto& dies = live.at(below(live.size()));
      std::swap(dies, live.back());
      concerned = live.back();
      live.pop_back();
    }
    const auto began = cpu_seconds();
    const auto placement = place();
    seconds += cpu_seconds() - began;
    auto now = numbers_of(placement, partitions);
    moved += moves(before, now);
    for (const auto& holders : joins ? now : before) {
      had_to += static_cast<std::size_t>(std::count(holders.begin(), holders.end(), concerned));
    }
    const double mean = static_cast<double>(partitions) * copies / static_cast<double>(live.size());
    least_even = std::max(least_even, static_cast<double>(held_most(placement, partitions)) / mean);
    before = std::move(now);
  }
  std::cout << "{\"movesPerIdeal\":" << static_cast<double>(moved) / static_cast<double>(had_to)
            << ",\"mostAgainstMean\":" << least_even
            << ",\"microseconds\":" << seconds * 1e6 / changes << "}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = [&](int index, int otherwise) {
    return argc > index ? std::stoi(argv[index]) : otherwise;
  };
  run(given(1, 1'000), given(2, 100), given(3, 4'096), given(4, 2),
      static_cast<std::uint64_t>(given(5, 1)));
}
