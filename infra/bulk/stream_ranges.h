// Assigns streams to buckets in the order of their names, so that the rows of one bucket sort
// before all rows of the next.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

class StreamRanges {
 public:
  // Balances the buckets by `sample`, which has the stream of each of some records.
  StreamRanges(std::vector<std::string> sample, std::size_t buckets) {
    std::sort(sample.begin(), sample.end());
    for (std::size_t i = 1; i < buckets && !sample.empty(); ++i) {
      const auto& first = sample[i * sample.size() / buckets];
      if (firsts_.empty() || first != firsts_.back()) firsts_.push_back(first);
    }
  }

  std::size_t size() const { return firsts_.size() + 1; }
  std::size_t of(std::string_view stream) const {
    return static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), stream) -
                                    firsts_.begin());
  }

 private:
  std::vector<std::string> firsts_;  // of each bucket but the first one
};

}  // namespace tilth
