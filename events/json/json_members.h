// An object's members as text, for storing a part of a document unchanged.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

struct JsonMember {
  std::string name;
  std::string_view text;  // of the value, without surrounding whitespace
};

// kInvalid: the text is no object, or not well-formed. Each value may be nested 64 deep by itself.
Result<std::vector<JsonMember>> json_members(std::string_view text);

}  // namespace tilth
