// What a ranked index sorts its entries by, and what it counts.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

enum class Order : std::uint8_t { kAscending, kDescending };

// What an entry is sorted by: bytes, or null, which comes last in either order. Ties are sorted by
// id, in the direction of the order.
struct RankedKey {
  std::optional<std::string> sort;
  std::string id;
};

// The order of an index's entries.
bool comes_before(const RankedKey& a, const RankedKey& b, Order order);

// Identifies a set of entries and their values, whatever the order in which they came: the sum of
// their hashes.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;  // each modulo 2^64

  Fingerprint& operator+=(const Fingerprint& other) {
    low += other.low, high += other.high;
    return *this;
  }
  Fingerprint& operator-=(const Fingerprint& other) {
    low -= other.low, high -= other.high;
    return *this;
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// How many entries there are, and which.
struct RankedCount {
  std::uint64_t entries = 0;
  Fingerprint content = {};  // only in an index that is fingerprinted

  RankedCount& operator+=(const RankedCount& other) {
    entries += other.entries, content += other.content;
    return *this;
  }
  RankedCount& operator-=(const RankedCount& other) {
    entries -= other.entries, content -= other.content;
    return *this;
  }
};

// How many entries an index has, in total and after its last counter.
struct RankedTotals {
  static constexpr std::size_t kLevels = 2;  // of counters
  struct Level {
    std::uint64_t blocks = 0;
    RankedCount rest = {};  // entries after the last block
    std::string last = {};  // the entry that ends the last block
  };
  RankedCount all = {};
  std::uint64_t nulls = 0;
  std::array<Level, kLevels> levels = {};
  // Whether counters tell which entries they count, so that what is derived from a block can be
  // cached. It never changes while there are entries.
  bool fingerprinted = false;

  void append_to(std::string& bytes) const;
  static RankedTotals take_from(std::string_view& bytes);
};

}  // namespace tilth
