#include "api/webhooks/webhook_url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "api/webhooks/public_address.h"
#include "events/values/ascii.h"

namespace tilth {
namespace {

bool is_port(std::string_view digits) {
  std::uint32_t port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && port > 0 &&
         port <= 65'535;
}

}  // namespace

std::string problem_of(const Url& url, const WebhookSafety& safety) {
  const std::string_view text = url.address;
  const auto begin = text.find("://") + 3;
  const bool over_tls = equals_ignoring_case(text.substr(0, begin), "https://");
  if (!over_tls && !safety.allow_http) return "must begin with https://";
  const auto authority =
      text.substr(begin, std::min(text.find_first_of("/?#", begin), text.size()) - begin);
  if (authority.find('@') != authority.npos) return "must not contain a user name or a password";
  const auto bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const auto colon = authority.find(':', bracket);
  if (colon != authority.npos && !is_port(authority.substr(colon + 1))) {
    return "must have a port from 1 to 65535, or none";
  }
  const auto host = authority.substr(0, colon);
  if (host.find('%') != host.npos) return "must name a host";
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(host.begin(), host.end(), is_ascii)) {
    return "must name its host in ASCII, such as xn--bcher-kva.example";
  }
  if (!safety.allow_private && !may_be_public(host)) {
    return "must not lead to a private, local or reserved address";
  }
  return {};
}

}  // namespace tilth
