// What a ranked index sorts its entries by, and what it counts.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

// How many entries an index has, in total and after its last counter.
struct RankedTotals {
  static constexpr std::size_t kLevels = 2;  // of counters
  struct Level {
    std::uint64_t blocks = 0;
    std::uint64_t rest = 0;  // entries after the last block
    std::string last = {};   // the entry that ends the last block
  };
  std::uint64_t entries = 0;
  std::uint64_t nulls = 0;
  std::array<Level, kLevels> levels = {};

  void append_to(std::string& bytes) const;
  static RankedTotals take_from(std::string_view& bytes);
};

}  // namespace tilth
