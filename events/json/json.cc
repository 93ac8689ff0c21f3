#include "events/json/json.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "events/json/plain_part.h"

namespace tilth {
namespace {

using Kind = Json::Kind;

bool holds_nul(const Json& json) {
  const auto has_nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  return has_nul(json.text) ||
         std::any_of(json.children.begin(), json.children.end(), [&](const Json::Child& child) {
           return has_nul(child.first) || holds_nul(child.second);
         });
}

// A copy in which the last of members with one name stands for all.
Json without_duplicates(const Json& json) {
  Json kept{json.kind, json.text, {}};
  std::unordered_set<std::string_view> names;
  for (auto child = json.children.rbegin(); child != json.children.rend(); ++child) {
    if (json.kind == Kind::kObject && !names.insert(child->first).second) continue;
    kept.children.push_back({child->first, without_duplicates(child->second)});
  }
  std::reverse(kept.children.begin(), kept.children.end());
  return kept;
}

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto found = std::find_if(children.rbegin(), children.rend(),
                                  [&](const auto& child) { return child.first == name; });
  return found == children.rend() ? nullptr : &found->second;
}

void write_json(const Json& json, std::string& out) {
  switch (json.kind) {
    case Kind::kNull:
      out.append("null");
      break;
    case Kind::kBool:
    case Kind::kNumber:
      out.append(json.text);
      break;
    case Kind::kString:
      append_json_string(json.text, out);
      break;
    case Kind::kArray:
    case Kind::kObject:
      const bool object = json.kind == Kind::kObject;
      out.push_back(object ? '{' : '[');
      bool first = true;
      for (const auto& [name, child] : json.children) {
        if (!std::exchange(first, false)) out.push_back(',');
        if (object) append_json_string(name, out), out.push_back(':');
        write_json(child, out);
      }
      out.push_back(object ? '}' : ']');
  }
}

std::string text_of(const Json& json) {
  std::string text;
  write_json(json, text);
  return text;
}

std::optional<FreeObject> FreeObject::read_json(const Json& json, bool check, Issues& issues,
                                                const std::string& path) {
  if (json.kind != Kind::kObject) {
    issues[path].push_back("must be an object");
    return std::nullopt;
  }
  if (check && holds_nul(json)) {
    issues[path].push_back("must not contain U+0000");
    return std::nullopt;
  }
  return FreeObject{text_of(check ? without_duplicates(json) : json)};
}

void append_json_string(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  std::size_t plain = 0;  // start of the part that needs no escaping and is not appended yet
  for (auto i = end_of_plain_part(text); i < text.size(); i = end_of_plain_part(text, plain)) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    if (c == '"' || c == '\\') {
      out.push_back('\\'), out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else {
      out.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  out.append(text.substr(plain)).push_back('"');
}

}  // namespace tilth
