#include "api/http/query_string.h"

#include "events/values/utf8.h"

namespace tilth {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded.push_back(' ');
    } else if (text[i] != '%') {
      decoded.push_back(text[i]);
    } else {
      const int high = text.size() - i > 2 ? hex_digit(text[i + 1]) : -1;
      const int low = text.size() - i > 2 ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      decoded.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    }
  }
  return is_utf8(decoded) ? std::optional(decoded) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> read_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (parameter.empty()) continue;
    const auto equals = std::min(parameter.find('='), parameter.size());
    const auto name = parameter.substr(0, equals);
    const auto value = parameter.substr(std::min(equals + 1, parameter.size()));
    parameters.emplace_back(percent_decoded(name, true).value_or(std::string(name)),
                            percent_decoded(value, true).value_or(std::string(value)));
  }
  return parameters;
}

}  // namespace tilth
