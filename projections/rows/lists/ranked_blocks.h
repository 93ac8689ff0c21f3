// How the counters of a ranked index are computed from its entries: by the index itself, and by a
// builder whose entries are already sorted.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// An entry is a mark that puts nulls last, what it is sorted by, and the id.
inline constexpr char kNotNull = '\1';
inline constexpr char kNull = '\2';

std::string ranked_entry(const RankedKey& key);

// The highest level of counters on which an entry ends a block.
int ranked_level(std::string_view entry);

// The hash of an entry with its value.
Fingerprint fingerprint_of(std::string_view entry, std::string_view value);

// A count, as a counter stores it.
std::string ranked_count(const RankedCount& count, bool fingerprinted);

// Counts entries that are given in ascending order, with their levels, and hands over each counter
// when it is complete. The rest is in the totals.
class RankedBlocks {
 public:
  explicit RankedBlocks(bool fingerprinted) { totals_.fingerprinted = fingerprinted; }

  template <class Put>  // (int level, std::string_view entry, std::string count)
  void add(std::string_view entry, std::string_view value, int own_level, const Put& put) {
    RankedCount one{1};
    if (totals_.fingerprinted) one.content = fingerprint_of(entry, value);
    totals_.all += one;
    if (entry.front() == kNull) ++totals_.nulls;
    for (int level = 1; level <= static_cast<int>(RankedTotals::kLevels); ++level) {
      auto& blocks = totals_.levels.at(static_cast<std::size_t>(level - 1));
      blocks.rest += one;
      if (own_level < level) continue;
      put(level, entry, ranked_count(blocks.rest, totals_.fingerprinted));
      ++blocks.blocks;
      blocks.last = entry;
      blocks.rest = {};
    }
  }

  const RankedTotals& totals() const { return totals_; }

 private:
  RankedTotals totals_;
};

}  // namespace tilth
