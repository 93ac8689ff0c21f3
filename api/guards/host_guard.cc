#include "api/guards/host_guard.h"

#include <algorithm>
#include <utility>

#include "events/values/ascii.h"

namespace tilth {
namespace {

// "[::1]:8081" is ::1, and "tilth-1:8081" is tilth-1.
std::string_view without_port(std::string_view host) {
  if (!host.starts_with('[')) return host.substr(0, host.find(':'));
  const auto end = host.find(']');
  return end == host.npos ? host : host.substr(1, end - 1);
}

// The addresses under which a listener there can be reached.
std::vector<Network> addresses_of(const Address& listener) {
  const std::vector<Network> loopback{*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  const bool is_loopback = std::any_of(loopback.begin(), loopback.end(), [&](const auto& network) {
    return network.contains(listener);
  });
  if (is_loopback) return loopback;
  const bool everywhere = listener == Address::parse("0.0.0.0") || listener == Address::parse("::");
  if (everywhere) return {*Network::parse("0.0.0.0/0"), *Network::parse("::/0")};
  return {Network{listener}};
}

}  // namespace

HostGuard::HostGuard(std::string listens_on, std::vector<std::string> names)
    : names_(std::move(names)) {
  names_.emplace_back("localhost");
  names_.push_back(to_lower(listens_on));
  const auto address = Address::parse(listens_on == "localhost" ? "127.0.0.1" : listens_on);
  if (address) networks_ = addresses_of(*address);
}

Status HostGuard::admit(const HttpRequest& request) const {
  const auto* host = request.header("host");
  if (host == nullptr || admits(without_port(*host))) return kDone;
  return Error{ErrorCode::kForeignOrigin,
               "This port does not accept requests for that host. An operator can add it to "
               "operator_hosts."};
}

bool HostGuard::admits(std::string_view host) const {
  const auto name = to_lower(host);
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
  const auto address = Address::parse(name);
  if (!address) return false;
  return std::any_of(networks_.begin(), networks_.end(),
                     [&](const auto& network) { return network.contains(*address); });
}

}  // namespace tilth
