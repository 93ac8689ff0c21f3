// Examples for the API's description, made from its schemas.

#pragma once

#include <string>
#include <string_view>

#include "events/json/json.h"

namespace tilth {

// A value, as JSON text, that a schema of ours allows for the member of that name.
std::string example_of(std::string_view name, const Json& schema);

}  // namespace tilth
