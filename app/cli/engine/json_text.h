// JSON as text, and text as JSON.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "events/json/json.h"
#include "events/values/utf8.h"

namespace tilth {

inline std::string to_text(const Json& json) {
  std::string text;
  write_json(json, text);
  return text;
}

inline Json text_value(std::string text) { return {Json::Kind::kString, std::move(text), {}}; }
// For answers: a path or a setting may have bytes that are no UTF-8, which no JSON can hold.
inline Json shown_text(std::string_view bytes) { return text_value(well_formed(bytes)); }

inline Json object_value() { return {Json::Kind::kObject, {}, {}}; }

}  // namespace tilth
