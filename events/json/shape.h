// The shape of a type as text: the names and types of its members. Programs that print the same
// shape can read each other's bytes.

#pragma once

#include <string>

#include "events/json/type_form.h"

namespace tilth {

// "{id:a UUID,name:a string,position:{lat:a number,lng:a number}?}"
std::string shape_of(const TypeForm& form);

}  // namespace tilth
