#include "api/media_type.h"

#include <algorithm>

namespace tilth {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

bool is_media_type(const std::string* content_type, std::string_view type) {
  if (content_type == nullptr) return true;
  std::string lower = *content_type;
  for (auto& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view rest = lower;
  bool good = true;
  for (bool first = true; good && !rest.empty(); first = false) {
    const auto end = std::min(rest.find(';'), rest.size());
    auto part = trimmed(rest.substr(0, end));
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
