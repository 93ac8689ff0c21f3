#include "infra/config/similar_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilth {
namespace {

std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, last, now(to.size() + 1);
  std::iota(now.begin(), now.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before = std::exchange(last, now);
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t differ = from[i - 1] == to[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + differ});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return now.back();
}

}  // namespace

const std::string* similar_name(std::string_view given, const std::vector<std::string>& known,
                                std::size_t prefix) {
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const std::string& name) { return distance(given, name); });
  if (nearest == known.end()) return nullptr;
  const auto slips = distance(given, *nearest);
  // Who slips twice in a short name has meant another one.
  const auto most = std::min<std::size_t>((nearest->size() - prefix) / 3, 2);
  return slips == 0 || slips > most ? nullptr : &*nearest;
}

}  // namespace tilth
