#include "projections/rows/rendered_row.h"

#define XXH_INLINE_ALL
#include <cstdint>

#include <xxhash.h>

namespace tilth {

std::string entity_tag(std::string_view shown) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto hash = XXH3_128bits(shown.data(), shown.size());
  std::string tag(2 + 2 * sizeof hash, '"');
  auto digit = tag.begin();
  for (const std::uint64_t half : {hash.high64, hash.low64}) {
    for (int shift = 60; shift >= 0; shift -= 4) *++digit = kHex[(half >> shift) & 15];
  }
  return tag;
}

}  // namespace tilth
