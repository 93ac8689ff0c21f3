// What an entry of a list stores of its row after the id: its values of all filters, and its cut
// value if it has one.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilth {

inline constexpr std::size_t kNoEntryValue = 0xFFFF;  // as a length: no value

inline void append_entry_value(std::string& entry, const std::optional<std::string>& value) {
  const auto length = value ? value->size() : kNoEntryValue;
  entry.append(1, static_cast<char>(length >> 8)).append(1, static_cast<char>(length));
  if (value) entry.append(*value);
}

// `values` is not empty, and begins with the next value afterwards.
inline std::optional<std::string_view> take_entry_value(std::string_view& values) {
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(values[0]) << 8 |
                                               static_cast<unsigned char>(values[1]));
  values.remove_prefix(2);
  if (length == kNoEntryValue) return std::nullopt;
  const auto value = values.substr(0, length);
  values.remove_prefix(length);
  return value;
}

}  // namespace tilth
