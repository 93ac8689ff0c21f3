#include "api/media_type.h"

#include <algorithm>
#include <string_view>

namespace tilth {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

bool is_json(const std::string* content_type) {
  if (content_type == nullptr) return true;
  std::string lower = *content_type;
  for (auto& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view rest = lower;
  bool json = true;
  for (bool first = true; json && !rest.empty(); first = false) {
    const auto end = std::min(rest.find(';'), rest.size());
    auto part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (first) {
      json = part == "application/json";
    } else if (part.starts_with("charset=")) {
      part.remove_prefix(8);
      json = part == "utf-8" || part == "\"utf-8\"";
    }
  }
  return json && !lower.empty();
}

}  // namespace tilth
