// Appends members to the text of a JSON object.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json_writer.h"

namespace tilth {

void append_member(std::string& json, std::string_view name, const auto& value) {
  if (json.back() != '{') json.push_back(',');
  json.append(1, '"').append(name).append("\":");
  JsonWriter::write(value, json);
}

}  // namespace tilth
