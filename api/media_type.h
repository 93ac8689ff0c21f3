// What kind of body a request says that it has.

#pragma once

#include <string>

namespace tilth {

// application/json, its charset absent or utf-8; no Content-Type (null) counts as it.
bool is_json(const std::string* content_type);

}  // namespace tilth
