// An object's members as they stand in its text, for anyone who keeps a part of a document as it
// is.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

struct JsonMember {
  std::string name;
  std::string_view text;  // of its value, without blanks around it
};

// kInvalid: it is no object, or not well-formed. Each value may be nested 64 deep by itself.
Result<std::vector<JsonMember>> json_members(std::string_view text);

}  // namespace tilth
