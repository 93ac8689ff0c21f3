// An absolute http or https URL.

#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/textual.h"

namespace tilth {

// Kept as written. `stored` accepts what an event holds.
struct Url {
  static constexpr std::string_view kExpected =
      "an absolute http or https URL of at most 2048 characters";
  static constexpr std::string_view kFormat = "uri";
  static constexpr std::size_t kMaxLength = 2'048;  // in code points
  std::string address;
  static constexpr auto kWrapped = &Url::address;

  static std::optional<Url> parse(std::string_view text);
  static Url stored(std::string text) { return {std::move(text)}; }
  std::string text() const { return address; }
  friend auto operator<=>(const Url&, const Url&) = default;
};

}  // namespace tilth
