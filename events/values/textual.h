// The concept of a value that is written as one piece of text: an id, a decimal, an instant.

#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace tilth {

// Such a value parses itself from text or refuses it, says what it expects, and writes itself. If
// it has append_to(out), which appends the same as text() returns, that text needs no escaping in
// JSON.
template <class T>
concept Textual = requires(const T& value, std::string_view text) {
  { T::parse(text) } -> std::same_as<std::optional<T>>;
  { T::kExpected } -> std::convertible_to<std::string_view>;
  { value.text() } -> std::same_as<std::string>;
};

}  // namespace tilth
