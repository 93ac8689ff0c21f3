// Checks what was stored against the rules of its type, where it comes from elsewhere.

#pragma once

#include "events/json/type_form.h"
#include "events/values/result.h"

namespace tilth {

// Adds to `issues`, under its dotted path, what in the JSON of an object of that form no request
// could have set, and what reads it may rely on: numbers beyond their bounds, texts with U+0000,
// and currencies that are no code of three letters. Members that are null or absent break no rule.
// How long texts and arrays are, and shapes on a map, are not checked: nothing relies on that, and
// an earlier release may have taken others.
void check_rules(const Json& object, const TypeForm& form, Issues& issues);

}  // namespace tilth
