#include "infra/config/config.h"

#include <charconv>

namespace tilth {

std::optional<HostPort> HostPort::parse(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  HostPort parsed{std::string(host), 0};
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  constexpr std::string_view kNoHost = " \t\r\n/[]";
  if (!whole || host.empty() || host.find_first_of(kNoHost) != host.npos ||
      bracketed != (host.find(':') != host.npos)) {
    return std::nullopt;
  }
  return parsed;
}

std::string HostPort::text() const {
  const bool v6 = host.find(':') != host.npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool HostPort::is_loopback() const {
  const auto loopback = *Network::parse("127.0.0.0/8");
  const auto address = Address::parse(host);
  if (!address) return host == "localhost";
  return loopback.contains(*address) || address == Address::parse("::1");
}

}  // namespace tilth
