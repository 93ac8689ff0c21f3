// The shape of a type as text: what its members are called and what they hold. Two programs that
// print the same shape read each other's bytes.

#pragma once

#include <string>

#include "events/json/type_form.h"

namespace tilth {

// "{id:a UUID,name:a string,position:{lat:a number,lng:a number}?}"
std::string shape_of(const TypeForm& form);

}  // namespace tilth
