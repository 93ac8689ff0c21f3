// Examples for the API's description, made from its schemas.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json.h"

namespace tilth {

// A value, as JSON text, that our schema allows for the member with that name.
std::string example_of(std::string_view name, const Json& schema);

}  // namespace tilth
