#include "api/openapi/openapi_schemas.h"

#include <stdexcept>
#include <utility>

namespace tilth {
namespace {

// A schema's own name. A member can be called title, too: its schema is no string.
std::string_view title_of(const Json& schema) {
  const auto* title = schema.find("title");
  return title != nullptr && title->kind == Json::Kind::kString ? std::string_view(title->text)
                                                                : std::string_view();
}

}  // namespace

Json NamedSchemas::refer(const Json& schema) {
  if (schema.kind == Json::Kind::kArray) {
    std::vector<Json> items;
    for (const auto& [_, item] : schema.children) items.push_back(refer(item));
    return Json::array(std::move(items));
  }
  if (schema.kind != Json::Kind::kObject) return schema;
  const auto title = title_of(schema);
  auto whole = without_title(schema, title);
  if (title.empty()) return whole;
  const auto [named, is_new] = schemas_.try_emplace(std::string(title), whole);
  if (!is_new && text_of(named->second) != text_of(whole)) {
    throw std::logic_error("Two schemas are called " + std::string(title) + ".");
  }
  Json reference = Json::object();
  reference.add("$ref", Json::string("#/components/schemas/" + std::string(title)));
  return reference;
}

Json NamedSchemas::without_title(const Json& schema, std::string_view title) {
  Json same = Json::object();
  for (const auto& [name, value] : schema.children) {
    if (name == "title") continue;
    if (name == "examples") {
      same.add(name, value);
    } else {
      same.add(name, name == "properties" ? members(value, title) : refer(value));
    }
  }
  return same;
}

Json NamedSchemas::members(const Json& properties, std::string_view title) {
  Json described = Json::object();
  for (const auto& [name, schema] : properties.children) {
    auto member = refer(schema);
    if (const auto meaning = meaning_of(title, name);
        !meaning.empty() && member.find("description") == nullptr) {
      member.add("description", Json::string(meaning));
    }
    described.add(name, std::move(member));
  }
  return described;
}

Json NamedSchemas::all() const {
  Json all = Json::object();
  for (const auto& [name, schema] : schemas_) all.add(name, schema);
  return all;
}

}  // namespace tilth
