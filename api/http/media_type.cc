#include "api/http/media_type.h"

#include <algorithm>

#include "events/values/ascii.h"

namespace tilth {

bool is_media_type(const std::string* content_type, std::string_view type) {
  if (content_type == nullptr) return true;
  const auto lower = to_lower(*content_type);
  std::string_view rest = lower;
  bool good = true;
  for (bool first = true; good && !rest.empty(); first = false) {
    const auto end = std::min(rest.find(';'), rest.size());
    auto part = trim_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (first) {
      good = part == type;
    } else if (part.starts_with("charset=")) {
      part.remove_prefix(8);
      good = part == "utf-8" || part == "\"utf-8\"";
    }
  }
  return good && !lower.empty();
}

}  // namespace tilth
