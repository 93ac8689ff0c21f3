// Where it is worth while to find out how far a gap between keys extends.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tilth {

// Ids that grow with time are missed one after another in the same gap, so a seek that finds its
// ends spares the next lookups. Ids that are hashes, such as those of rules' tasks, are seldom
// missed in the same gap. Keys that differ in their id alone are a section: seeks in it go on as
// long as each of them spares several lookups.
//
// Belongs to one thread.
class GapUse {
 public:
  // A lookup of `key` ended in a known gap.
  void used(std::string_view key) {
    auto& credit = credits_.at(section(key));
    credit = static_cast<std::uint8_t>(std::min(credit + 1, kMost));
  }

  // Whether to find out about the gap in which `key` was missed.
  bool is_worth_learning(std::string_view key) {
    auto& credit = credits_.at(section(key));
    if (credit < kSeek) return ++misses_ % kTriedOnceIn == 0;
    credit = static_cast<std::uint8_t>(credit - kSeek);
    return true;
  }

 private:
  static constexpr std::size_t kIdBytes = 16, kSections = 256, kTriedOnceIn = 32;
  static constexpr int kSeek = 4;  // lookups that cost about as much as a seek
  static constexpr int kMost = 8 * kSeek;

  static std::size_t section(std::string_view key) {
    key.remove_suffix(std::min(key.size(), kIdBytes));
    return std::hash<std::string_view>{}(key) % kSections;
  }

  static constexpr std::array<std::uint8_t, kSections> at_first() {
    std::array<std::uint8_t, kSections> credits{};
    credits.fill(kMost / 2);
    return credits;
  }

  std::array<std::uint8_t, kSections> credits_ = at_first();  // by the hash of a section
  std::size_t misses_ = 0;                                    // without credit
};

}  // namespace tilth
