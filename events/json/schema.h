// JSON Schemas for OpenAPI 3.1, derived from the program's types.

#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "events/json/json.h"
#include "events/json/type_form.h"

namespace tilth {

// Requests may send numbers in quotes; responses and events have one form each. A change event
// carries only the members that changed.
enum class SchemaOf { kRequest, kAnswer, kEvent };

// In requests and answers the schema of an object has its name as `title` (type_name.h); that of an
// object within a request ends in Input, since its numbers may be in quotes.
Json schema_of(const TypeForm& form, SchemaOf use, const Rules& rules = {});

template <class T>
Json request_schema() {
  return schema_of(kTypeForm<T>, SchemaOf::kRequest);
}
template <class T>
Json answer_schema() {
  return schema_of(kTypeForm<T>, SchemaOf::kAnswer);
}

// {"type": "string"}, or another type, with a format where one is given.
Json simple_schema(std::string_view type, std::string_view format = {});

// A string that is one of these names.
Json enum_schema(const std::vector<std::string_view>& names);

// What `schema` allows, or null.
Json nullable(Json schema);

Json array_schema(Json items);

// The same schema under another name.
Json renamed(const Json& schema, std::string_view title);

// An object whose members are all required.
Json object_schema(std::vector<std::pair<std::string_view, Json>> members);

// Adds a member to the schema of an object.
void add_property(Json& object, std::string_view name, Json schema, bool required = false);

}  // namespace tilth
