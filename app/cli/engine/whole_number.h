// Whole numbers in text and in JSON.

#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "events/json/json.h"

namespace tilth::cli {

// Null: the text is none of 64 bits.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

// Null: there is no such value, or it is no such number.
inline std::optional<std::int64_t> whole_number(const Json* value) {
  const bool is_number = value != nullptr && value->kind == Json::Kind::kNumber;
  return is_number ? whole_number(std::string_view(value->text)) : std::nullopt;
}

// The member of a record, 0 if it is no such number.
inline std::int64_t number_in(const Json& record, std::string_view name) {
  return whole_number(record.find(name)).value_or(0);
}

}  // namespace tilth::cli
