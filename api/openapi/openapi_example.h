// Examples for the API's description, made from its schemas: a farm in Medina. Those of requests
// are accepted as they are, once their ids are those of existing records.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json.h"

namespace tilth {

// A value, as JSON text, that our schema allows for the member with that name.
std::string example_of(std::string_view name, const Json& schema);

}  // namespace tilth
