#include "app/cli/commands/exported_line.h"

#include <algorithm>

#include "events/access/user.h"
#include "events/json/json.h"

namespace tilth::cli {
namespace {

// Within a string the quotes would be escaped, so wherever it is, this is a member's name.
constexpr std::string_view kMember = "\"passwordHash\"";

// No other event has such a member, but records may have members of their owners' choice.
bool is_of_user(std::string_view line) {
  const auto event = parse_json(line);
  const auto* type = event ? event->find("type") : nullptr;
  return type != nullptr &&
         (type->text == UserRegistered::kType.name || type->text == UserAmended::kType.name);
}

std::size_t end_of_string(std::string_view line, std::size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\') ++at;
  }
  return std::min(at + 1, line.size());
}

}  // namespace

std::string without_password_hash(std::string_view line) {
  const auto name = line.find(kMember);
  if (name == line.npos || !is_of_user(line)) return std::string(line);
  const auto value = line.find_first_not_of(" \t:", name + kMember.size());
  if (value == line.npos || line[value] != '"') return std::string(line);  // null already
  return std::string(line.substr(0, value)) + "null" +
         std::string(line.substr(end_of_string(line, value)));
}

}  // namespace tilth::cli
