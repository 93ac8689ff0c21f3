#include "events/log/refusal.h"

#include "events/json/json_writer.h"

namespace tilth {

RequestRefused refusal_of(const Error& error, Timestamp at) {
  std::string details = "{";
  const auto name = [&](const std::string& text) {
    if (details.size() > 1) details.push_back(',');
    append_json_string(text, details);
    details.push_back(':');
  };
  for (const auto& [path, messages] : error.issues) {
    name(path);
    JsonWriter::write(messages, details);
  }
  for (const auto& [fact, value] : error.facts) {
    name(fact);
    std::visit([&](const auto& each) { JsonWriter::write(each, details); }, value);
  }
  return {std::string(name_of(error.code)), error.message, {details + "}"}, at};
}

}  // namespace tilth
