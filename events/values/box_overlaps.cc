#include "events/values/box_overlaps.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilth {
namespace {

// How many of some boxes, and of what weight in total.
struct Amount {
  std::uint64_t boxes = 0;
  std::uint64_t weight = 0;

  Amount& operator+=(const Amount& other) {
    boxes += other.boxes, weight += other.weight;
    return *this;
  }
  Amount& operator-=(const Amount& other) {
    boxes -= other.boxes, weight -= other.weight;
    return *this;
  }
};

// Amounts by rank, with their sum below any rank: a Fenwick tree.
class Ranked {
 public:
  explicit Ranked(std::size_t ranks) : sums_(ranks + 1) {}

  void add(std::size_t rank, const Amount& amount) {
    for (auto i = rank + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += amount;
  }
  void remove(std::size_t rank, const Amount& amount) {
    for (auto i = rank + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] -= amount;
  }
  Amount below(std::size_t rank) const {
    Amount sum;
    for (auto i = rank; i > 0; i -= i & (~i + 1)) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<Amount> sums_;
};

struct Edge {
  double at;
  bool ends;
  std::uint32_t box;
};

// From west to east; a box that begins where another ends overlaps it.
std::vector<Edge> sorted_edges(std::span<const Box> boxes) {
  std::vector<Edge> edges;
  edges.reserve(2 * boxes.size());
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    edges.push_back({boxes[i].west, false, i});
    edges.push_back({boxes[i].east, true, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.at != b.at ? a.at < b.at : a.ends < b.ends;
  });
  return edges;
}

std::vector<double> sorted_heights(std::span<const Box> boxes) {
  std::vector<double> heights;
  heights.reserve(2 * boxes.size());
  for (const auto& box : boxes) heights.insert(heights.end(), {box.south, box.north});
  std::sort(heights.begin(), heights.end());
  heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
  return heights;
}

}  // namespace

// Sweeps from west to east. Of the boxes that the sweep has entered and not left, those overlap
// that neither end south of the new one nor begin north of it.
BoxOverlaps count_overlaps(std::span<const Box> boxes) {
  const auto heights = sorted_heights(boxes);
  const auto rank = [&heights](double height) {
    return static_cast<std::size_t>(std::lower_bound(heights.begin(), heights.end(), height) -
                                    heights.begin());
  };
  Ranked begins(heights.size()), ends(heights.size());
  BoxOverlaps found;
  for (const auto& edge : sorted_edges(boxes)) {
    const auto& box = boxes[edge.box];
    const Amount own{1, box.weight};
    const auto south = rank(box.south), north = rank(box.north);
    if (edge.ends) {
      begins.remove(south, own);
      ends.remove(north, own);
      continue;
    }
    auto met = begins.below(north + 1);
    met -= ends.below(south);
    found.pairs += met.boxes;
    found.weight += met.weight + met.boxes * box.weight;
    begins.add(south, own);
    ends.add(north, own);
  }
  return found;
}

}  // namespace tilth
