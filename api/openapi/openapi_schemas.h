// The schemas that the API's description names once and refers to from everywhere else.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "events/json/json.h"

namespace tilth {

// What the members with that name mean in every schema, or the one member "Schema.name" if it means
// something else there; filters of lists are those of the schema Query. Empty: unknown.
std::string_view meaning_of(std::string_view member);

// What a member means that has no description of its own. Empty: unknown.
std::string_view meaning_of(std::string_view schema_name, std::string_view member);

// Collects schemas by their titles (schema.h). Throws std::logic_error if two differ that have one
// title: a mistake in the program, which any start shows.
class NamedSchemas {
 public:
  // The schema with a reference in place of each titled one, and with every member described.
  Json refer(const Json& schema);

  // All of them, by name.
  Json all() const;

 private:
  Json without_title(const Json& schema, std::string_view title);
  Json members(const Json& properties, std::string_view title);

  std::map<std::string, Json, std::less<>> schemas_;
};

}  // namespace tilth
