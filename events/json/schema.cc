#include "events/json/schema.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "events/values/places.h"
#include "events/values/time_zone.h"

namespace tilth {
namespace {

Json member_schema(const TypeForm& form, SchemaOf use, const Rules& rules);

class ObjectSchema final : public MemberVisitor {
 public:
  explicit ObjectSchema(SchemaOf use) : use_(use) {}

  Json schema = object_schema({});

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form, void*) override {
    if (rules.hidden) return;
    const bool always = use_ == SchemaOf::kAnswer ||
                        (use_ == SchemaOf::kEvent && form.kind != TypeForm::Kind::kPatch);
    auto property = member_schema(form, use_, rules);
    if (!rules.doc.empty()) property.add("description", Json::string(rules.doc));
    add_property(schema, name, std::move(property), rules.required || always);
  }

  const SchemaOf use_;
};

// Requests may send a number in quotes.
Json number_schema(SchemaOf use, std::string_view number) {
  if (use != SchemaOf::kRequest) return simple_schema(number);
  Json schema = Json::object();
  schema.add("type", Json::array({Json::string(number), Json::string("string")}));
  schema.add("pattern", Json::string(R"(^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$)"));
  return schema;
}

Json choice_schema(const TypeForm& form, SchemaOf use, const Rules& rules) {
  auto names = form.names();
  if (use == SchemaOf::kRequest) std::erase(names, rules.derived);
  return enum_schema(names);
}

// What all names of a standard have in common. Later editions of the standards keep to it.
void add_spelling(Json& schema, const TypeForm& form) {
  constexpr std::int64_t kShortestCountry = 2;  // an alpha-2 code
  if (&form == &kTypeForm<Currency>) schema.add("pattern", Json::string("^[A-Z]{3}$"));
  if (&form == &kTypeForm<Country>) schema.add("minLength", Json::number(kShortestCountry));
  if (&form == &kTypeForm<TimeZone>) {
    schema.add("pattern", Json::string("^[A-Za-z0-9._+-]+(/[A-Za-z0-9._+-]+)*$"));
  }
}

Json scalar_schema(const TypeForm& form, SchemaOf use, const Rules& rules) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kEnum:
      return choice_schema(form, use, rules);
    case kBoolean:
      return simple_schema("boolean");
    case kInteger:
      return number_schema(use, "integer");
    case kNumber:
    case kFigure:
      return number_schema(use, "number");
    case kDecimal: {
      if (use != SchemaOf::kRequest) return simple_schema("string", "decimal");
      auto schema = number_schema(use, "number");
      schema.add("format", Json::string("decimal"));
      return schema;
    }
    case kText: {
      auto schema =
          simple_schema("string", use == SchemaOf::kRequest ? form.asked_format : form.format);
      // An event may have been stored under another limit.
      if (form.max_length > 0 && use != SchemaOf::kEvent) {
        schema.add("maxLength", Json::number(static_cast<std::int64_t>(form.max_length)));
      }
      if (use == SchemaOf::kRequest) add_spelling(schema, form);
      return schema;
    }
    case kObject:
    case kArray:
    case kOptional:
    case kPatch:
    case kOwnJson:
      break;
  }
  std::abort();
}

void add_sizes(Json& schema, const Rules& rules) {
  const auto bound = [&](std::string_view name, std::size_t items) {
    schema.add(name, Json::number(static_cast<std::int64_t>(items)));
  };
  if (rules.min_items > 0) bound("minItems", rules.min_items);
  if (rules.max_items < Rules{}.max_items) bound("maxItems", rules.max_items);
}

void add_bounds(Json& schema, const TypeForm& form, SchemaOf use, const Rules& rules) {
  using enum TypeForm::Kind;
  const bool number = form.kind == kInteger || form.kind == kNumber || form.kind == kDecimal ||
                      form.kind == kFigure;
  const auto bound = [&](std::string_view name, std::int64_t value) {
    schema.add(name, Json::number(value));
  };
  if (number && use == SchemaOf::kRequest) {
    if (rules.positive) bound("exclusiveMinimum", 0);
    if (rules.min) bound("minimum", *rules.min);
    if (rules.max) bound("maximum", *rules.max);
  }
  if (rules.min_length > 0) bound("minLength", static_cast<std::int64_t>(rules.min_length));
  if (rules.max_length < Rules{}.max_length) {
    bound("maxLength", static_cast<std::int64_t>(rules.max_length));
  }
}

Json object_of(const TypeForm& form, SchemaOf use, std::string_view suffix) {
  ObjectSchema object(use);
  form.visit(object, form.make().get());
  if (use != SchemaOf::kEvent) {
    object.schema.add("title", Json::string(schema_name(form.name).append(suffix)));
  }
  return std::move(object.schema);
}

// `suffix`: of the names of objects.
Json named_schema(const TypeForm& form, SchemaOf use, const Rules& rules, std::string_view suffix) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kPatch:
      return named_schema(*form.inner, use, rules, suffix);
    case kOptional:
      return nullable(named_schema(*form.inner, use, rules, suffix));
    case kArray: {
      auto schema = array_schema(named_schema(*form.inner, use, {}, suffix));
      if (use == SchemaOf::kRequest) add_sizes(schema, rules);
      return schema;
    }
    case kOwnJson:
      return *parse_json(form.schema);
    case kObject:
      return object_of(form, use, suffix);
    default: {
      auto schema = scalar_schema(form, use, rules);
      add_bounds(schema, form, use, rules);
      return schema;
    }
  }
}

Json member_schema(const TypeForm& form, SchemaOf use, const Rules& rules) {
  return named_schema(form, use, rules, use == SchemaOf::kRequest ? "Input" : "");
}

}  // namespace

Json schema_of(const TypeForm& form, SchemaOf use, const Rules& rules) {
  return named_schema(form, use, rules, "");
}

Json simple_schema(std::string_view type, std::string_view format) {
  Json schema = Json::object();
  schema.add("type", Json::string(type));
  if (!format.empty()) schema.add("format", Json::string(format));
  return schema;
}

Json enum_schema(const std::vector<std::string_view>& names) {
  auto schema = simple_schema("string");
  auto& all = schema.add("enum", Json::array({}));
  for (const auto name : names) all.children.push_back({{}, Json::string(name)});
  return schema;
}

Json nullable(Json schema) {
  Json either = Json::object();
  either.add("anyOf", Json::array({std::move(schema), simple_schema("null")}));
  return either;
}

Json array_schema(Json items) {
  auto schema = simple_schema("array");
  schema.add("items", std::move(items));
  return schema;
}

Json renamed(const Json& schema, std::string_view title) {
  Json same = Json::object();
  for (const auto& [name, value] : schema.children) {
    if (name != "title") same.add(name, value);
  }
  same.add("title", Json::string(title));
  return same;
}

Json object_schema(std::vector<std::pair<std::string_view, Json>> members) {
  auto schema = simple_schema("object");
  schema.add("properties", Json::object());
  for (auto& [name, member] : members) add_property(schema, name, std::move(member), true);
  return schema;
}

void add_property(Json& object, std::string_view name, Json schema, bool required) {
  Json *properties = nullptr, *names = nullptr;
  for (auto& [key, value] : object.children) {
    if (key == "properties") properties = &value;
    if (key == "required") names = &value;
  }
  if (properties == nullptr) std::abort();  // not the schema of an object
  properties->add(name, std::move(schema));
  if (!required) return;
  if (names == nullptr) {
    // After the type, where readers expect it. This moves the properties.
    names =
        &object.children.insert(object.children.begin() + 1, {"required", Json::array({})})->second;
  }
  names->children.push_back({{}, Json::string(name)});
}

}  // namespace tilth
