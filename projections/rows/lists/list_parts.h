// The parts into which the counters of a ranked index divide it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/list_cache.h"
#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// Consecutive parts, in ascending order: what each counts, and the entry that ends it.
class ListParts {
 public:
  // Without an entry, the part reaches to the end of the index.
  void add(const RankedCount& count, std::string_view last = {}) {
    counts_.push_back(count);
    text_.append(last);
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  void shrink_to_fit() { counts_.shrink_to_fit(), ends_.shrink_to_fit(), text_.shrink_to_fit(); }

  std::size_t size() const { return counts_.size(); }
  const RankedCount& count(std::size_t part) const { return counts_[part]; }
  std::string_view last(std::size_t part) const {
    const auto begin = part == 0 ? 0 : ends_[part - 1];
    return std::string_view(text_).substr(begin, ends_[part] - begin);
  }

  std::size_t bytes() const {  // approximate memory use
    return sizeof(*this) + counts_.capacity() * sizeof(RankedCount) +
           ends_.capacity() * sizeof(std::uint32_t) + text_.capacity();
  }

 private:
  std::vector<RankedCount> counts_;
  std::vector<std::uint32_t> ends_;  // of each last entry in text_
  std::string text_;
};

// The number is the level of the counters.
using ListPartsCache = ListCache<int, ListParts>;

}  // namespace tilth
