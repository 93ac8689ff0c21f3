#include "api/guards/origin.h"

#include <algorithm>
#include <optional>

#include "events/values/ascii.h"

namespace tilth {
namespace {

// The last value of a header; null if it is missing or empty.
std::optional<std::string> last_value(const HttpRequest& request, std::string_view name) {
  const auto all = request.joined(name);
  if (!all) return std::nullopt;
  const auto comma = all->rfind(',');
  const auto last =
      trim_blanks(comma == all->npos ? *all : std::string_view(*all).substr(comma + 1));
  return last.empty() ? std::nullopt : std::optional(to_lower(last));
}

// Drops the scheme's default port.
std::string without_port(std::string host, std::string_view scheme) {
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(port)) host.resize(host.size() - port.size());
  return host;
}

bool is_trusted(const std::string& peer, std::span<const Network> trusted) {
  const auto address = Address::parse(peer);
  return address && std::any_of(trusted.begin(), trusted.end(),
                                [&](const auto& network) { return network.contains(*address); });
}

}  // namespace

OwnOrigin OwnOrigin::of(const HttpRequest& request, std::span<const Network> trusted_proxies) {
  OwnOrigin own{"http", {}};
  const auto* host = request.header("host");
  if (host != nullptr) own.host = to_lower(*host);
  if (is_trusted(request.peer, trusted_proxies)) {
    own.scheme = last_value(request, "x-forwarded-proto").value_or(own.scheme);
    own.host = last_value(request, "x-forwarded-host").value_or(own.host);
  }
  own.host = without_port(own.host, own.scheme);
  return own;
}

bool came_over_tls(const HttpRequest& request, std::span<const Network> trusted_proxies) {
  if (trusted_proxies.empty() || request.header("x-forwarded-proto") == nullptr) return false;
  return is_trusted(request.peer, trusted_proxies) &&
         last_value(request, "x-forwarded-proto") == "https";
}

bool is_foreign(const HttpRequest& request, const OwnOrigin& own) {
  if (const auto origin = request.joined("origin")) {
    auto given = to_lower(*origin);
    const auto host = given.find("://");
    if (host == given.npos || own.host.empty()) return true;
    given = given.substr(0, host + 3) + without_port(given.substr(host + 3), given.substr(0, host));
    if (given != own.text()) return true;
  }
  const auto site = request.joined("sec-fetch-site");
  return site && *site != "same-origin" && *site != "none";
}

}  // namespace tilth
