#include "api/openapi/openapi_example.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilth {
namespace {

std::string quoted(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

// A typical value of a member with that name.
std::string_view usual(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kTexts = {
      {{"name", "Quba Oasis"},
       {"email", "aisha@farm.example"},
       {"password", "correct horse battery"},
       {"country", "Saudi Arabia"},
       {"region", "Medina"},
       {"city", "Medina"},
       {"currency", "SAR"},
       {"timezone", "Asia/Riyadh"},
       {"soilType", "sandy loam"},
       {"cropType", "Date palm"},
       {"variety", "Ajwa"},
       {"label", "A-11-01"},
       {"tagId", "QR-A1101"},
       {"plan", "summit"},
       {"scopes", "farms:read"},
       {"allowedIps", "192.0.2.0/24"},
       {"keyPreview", "svc_live_49f...a694"},
       {"key", "svc_live_49f6d8afa8fe8c939f6a066d23c6389fff5884ea8c26a694"},
       {"userId", "user_V1StGXR8_Z5jdHi6B-myT"},
       {"status", "active"}}};
  const auto found = std::find_if(kTexts.begin(), kTexts.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == kTexts.end() ? "as you like" : found->second;
}

std::string example_text(std::string_view name, const Json& schema) {
  const auto* format = schema.find("format");
  const std::string_view form = format == nullptr ? std::string_view() : format->text;
  if (form == "uuid") return R"("01a1fd7b-5a82-79f9-b28d-45d753e0ffda")";
  if (form == "date-time") return R"("2026-11-21T09:41:22.178Z")";
  if (form == "date") return R"("2026-11-21")";
  if (form == "decimal") return R"("12.5")";
  return quoted(usual(name));
}

std::string example_number(const Json& schema) {
  const auto* least = schema.find("minimum");
  return least == nullptr || least->text == "0" || least->text.starts_with('-') ? "1" : least->text;
}

std::string example_object(const Json& schema) {
  std::string json = "{";
  if (const auto* properties = schema.find("properties")) {
    for (const auto& [name, property] : properties->children) {
      if (json.size() > 1) json.push_back(',');
      json.append(quoted(name)).append(1, ':').append(example_of(name, property));
    }
  }
  return json + "}";
}

}  // namespace

std::string example_of(std::string_view name, const Json& schema) {
  if (const auto* examples = schema.find("examples")) return text_of(examples->children[0].second);
  if (const auto* only = schema.find("const")) return text_of(*only);
  if (const auto* choices = schema.find("enum")) return text_of(choices->children[0].second);
  if (const auto* either = schema.find("anyOf"))
    return example_of(name, either->children[0].second);
  if (schema.find("$ref")) return R"({"page":1,"limit":20,"total":1,"totalPages":1})";
  const auto* type = schema.find("type");
  if (type == nullptr) return "null";
  const auto& kind = type->children.empty() ? type->text : type->children[0].second.text;
  if (kind == "object") return example_object(schema);
  if (kind == "array") {
    const auto* items = schema.find("items");
    return "[" + (items == nullptr ? std::string() : example_of(name, *items)) + "]";
  }
  if (kind == "integer" || kind == "number") return example_number(schema);
  if (kind == "boolean") return "false";
  return example_text(name, schema);
}

}  // namespace tilth
