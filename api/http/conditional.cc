#include "api/http/conditional.h"

#include <algorithm>

#include "api/http/content_coding.h"

namespace tilth {

std::vector<std::string> read_entity_tags(std::string_view header) {
  std::vector<std::string> tags;
  while (true) {
    header.remove_prefix(std::min(header.find_first_not_of(" \t,"), header.size()));
    if (header.empty()) return tags;
    const std::size_t quote = header.starts_with("W/") ? 2 : 0;
    std::size_t end = 0;
    if (header.substr(quote).starts_with('"')) {
      const auto closing = header.find('"', quote + 1);
      if (closing == header.npos) return tags;
      end = closing + 1;
      tags.emplace_back(plain_tag(header.substr(0, end)));
    } else {
      end = std::min(header.find(','), header.size());
      if (header.substr(0, end).starts_with('*')) tags.emplace_back("*");
    }
    header.remove_prefix(end);
  }
}

bool matches_weakly(const std::vector<std::string>& wanted, std::string_view tag) {
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view each) {
    if (each.starts_with("W/")) each.remove_prefix(2);
    return each == "*" || each == tag;
  });
}

}  // namespace tilth
