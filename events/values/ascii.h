// Letters as HTTP and URLs compare them: ASCII only, in any locale.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tilth {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string to_lower(std::string_view text) {
  std::string lowered(text);
  for (auto& c : lowered) c = to_lower(c);
  return lowered;
}

constexpr bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z');
}

constexpr bool same_ignoring_case(char a, char b) { return to_lower(a) == to_lower(b); }

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_ignoring_case);
}

constexpr std::string_view trim_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace tilth
