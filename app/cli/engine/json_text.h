// JSON as text, and text as JSON.

#pragma once

#include <string>
#include <utility>

#include "events/json/json.h"

namespace tilth {

inline std::string to_text(const Json& json) {
  std::string text;
  write_json(json, text);
  return text;
}

inline Json text_value(std::string text) { return {Json::Kind::kString, std::move(text), {}}; }
inline Json object_value() { return {Json::Kind::kObject, {}, {}}; }

}  // namespace tilth
