#include "events/values/url.h"

#include <algorithm>

#include "events/values/ascii.h"
#include "events/values/utf8.h"

namespace tilth {
namespace {

bool begins_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && equals_ignoring_case(text.substr(0, lower.size()), lower);
}

// Characters that RFC 3986 excludes everywhere. Letters beyond ASCII are allowed: people copy what
// they see.
bool excluded(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
         std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos;
}

// A host, in brackets if it is an IPv6 address, and an optional port.
bool names_a_host(std::string_view authority) {
  if (const auto at = authority.rfind('@'); at != authority.npos) authority.remove_prefix(at + 1);
  const auto bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == authority.npos) return false;
  const auto colon = authority.find(':', bracket);
  const auto host = authority.substr(0, colon);
  const auto port = colon == authority.npos ? std::string_view() : authority.substr(colon + 1);
  return !host.empty() && port.size() <= 5 &&
         std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  if (code_points(text) > kMaxLength || std::any_of(text.begin(), text.end(), excluded)) {
    return std::nullopt;
  }
  const std::size_t scheme = begins_with(text, "https://")  ? 8
                             : begins_with(text, "http://") ? 7
                                                            : 0;
  if (scheme == 0) return std::nullopt;
  const auto end = std::min(text.find_first_of("/?#", scheme), text.size());
  if (!names_a_host(text.substr(scheme, end - scheme))) return std::nullopt;
  return Url{std::string(text)};
}

}  // namespace tilth
