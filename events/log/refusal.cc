#include "events/log/refusal.h"

#include <cstddef>
#include <string>

#include "events/json/json_writer.h"

namespace tilth {

namespace {

// A body can have as many faults as bytes. No one reads more than these, and some are stored.
constexpr std::size_t kMostMessages = 100;

// The first messages, by path, and one that says how many more there are.
Issues shortened(const Issues& issues) {
  Issues shown;
  std::size_t count = 0;
  for (const auto& [path, messages] : issues) {
    for (const auto& message : messages) {
      if (++count < kMostMessages) shown[path].push_back(message);
    }
  }
  if (count <= kMostMessages) return issues;
  shown["more"].push_back(std::to_string(count - kMostMessages + 1) +
                          " more problems are not listed");
  return shown;
}

}  // namespace

RequestRefused refusal_of(const Error& error, Timestamp at) {
  std::string details = "{";
  const auto name = [&](const std::string& text) {
    if (details.size() > 1) details.push_back(',');
    append_json_string(text, details);
    details.push_back(':');
  };
  for (const auto& [path, messages] : shortened(error.issues)) {
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
