// Looks at eight bytes of text at once.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilth::eight_bytes {

inline constexpr std::uint64_t kEach = 0x0101010101010101U;
inline constexpr std::uint64_t kTop = 0x80 * kEach;

// A bit for each byte that is less than `limit`, which is at most 0x80, or is `c`. Only the lowest
// one is right: the ones above may be borrowed from it.
constexpr std::uint64_t below(std::uint64_t eight, std::uint8_t limit) {
  return (eight - limit * kEach) & ~eight & kTop;
}
constexpr std::uint64_t equal(std::uint64_t eight, char c) {
  return below(eight ^ (kEach * static_cast<unsigned char>(c)), 1);
}

// The first byte at or after `from` that `ends` tells, as a bit of eight or by itself; else the
// size.
template <class EndsInEight, class Ends>
std::size_t find_end(std::string_view text, std::size_t from, EndsInEight ends_in_eight,
                     Ends ends) {
  static_assert(std::endian::native == std::endian::little);
  auto at = from;
  std::uint64_t eight = 0;
  for (; text.size() - at >= sizeof eight; at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if (const auto found = ends_in_eight(eight)) {
      return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  if (const auto left = text.size() - at; left > 0 && text.size() >= sizeof eight) {
    std::memcpy(&eight, text.data() + text.size() - sizeof eight, sizeof eight);
    eight >>= 8 * (sizeof eight - left);  // what was looked at goes, and zeros follow the text
    const auto found = static_cast<std::size_t>(std::countr_zero(ends_in_eight(eight))) / 8;
    return at + std::min(found, left);
  }
  while (at < text.size() && !ends(text[at])) ++at;
  return at;
}

}  // namespace tilth::eight_bytes
