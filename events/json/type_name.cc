#include "events/json/type_name.h"

#include <array>

#include "events/values/ascii.h"

namespace tilth {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool belongs_to_identifier(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string type_name(std::string_view spelling) {
  std::string name;
  std::string word;
  for (std::size_t i = 0; i <= spelling.size(); ++i) {
    if (i < spelling.size() && belongs_to_identifier(spelling[i])) {
      word.push_back(spelling[i]);
      continue;
    }
    // Types begin with a capital; namespaces, anonymous ones too, do not.
    if (!word.empty() && is_upper(word[0])) name.append(word);
    word.clear();
  }
  return name;
}

std::string schema_name(std::string_view spelling) {
  auto name = type_name(spelling);
  for (const std::string_view verb : {"Create", "Update"}) {
    if (!name.starts_with(verb) || name.size() == verb.size()) continue;
    return name.substr(verb.size()).append(verb);
  }
  return name;
}

std::string operation_name(std::string_view type_name) {
  std::string name(type_name);
  name[0] = to_lower(name.substr(0, 1))[0];
  return name;
}

}  // namespace tilth
