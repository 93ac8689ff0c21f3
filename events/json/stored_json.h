// Reads what this service or another node has written as JSON.

#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "events/json/json_reader.h"

namespace tilth {

// The object in `text`; its members that are absent are as in `value`. Null: that is no such
// object.
template <class T>
std::optional<T> read_stored(std::string_view text, T value = {}) {
  const auto json = parse_json(text);
  if (!json || json->kind != Json::Kind::kObject) return std::nullopt;
  Issues issues;
  JsonReader::read(*json, Reading::kStored, value, issues);
  return issues.empty() ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace tilth
