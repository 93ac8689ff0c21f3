// The media type of a request's body.

#pragma once

#include <string>
#include <string_view>

namespace tilth {

// Whether it is `type`, with charset absent or utf-8; no Content-Type (null) counts as `type`.
bool is_media_type(const std::string* content_type, std::string_view type);

inline bool is_json(const std::string* content_type) {
  return is_media_type(content_type, "application/json");
}

}  // namespace tilth
