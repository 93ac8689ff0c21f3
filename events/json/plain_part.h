// Where a JSON string has to be escaped or ends.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "events/values/eight_bytes.h"

namespace tilth {

// The first quote, backslash or control character at or after `from`, else the size.
inline std::size_t end_of_plain_part(std::string_view text, std::size_t from = 0) {
  return eight_bytes::find_end(
      text, from,
      [](std::uint64_t eight) {
        return eight_bytes::equal(eight, '"') | eight_bytes::equal(eight, '\\') |
               eight_bytes::below(eight, 0x20);
      },
      [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace tilth
