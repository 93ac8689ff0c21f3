#include "app/node/port_options.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include "api/http/address.h"

namespace tilth {
namespace {

constexpr std::size_t kOwnDescriptors = 384;  // for files, operators and webhooks

// Descriptors that the API's clients take up are missing for files and operators.
std::size_t most_connections(const Config& config) {
  const auto wanted = static_cast<std::size_t>(config.http.max_connections);
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return wanted;
  const auto there_are = static_cast<std::size_t>(descriptors.rlim_cur);
  return std::min(wanted, std::max(there_are, 2 * kOwnDescriptors) - kOwnDescriptors);
}

std::size_t most_of_address(const Config& config, std::size_t most_of_all) {
  const auto wanted = static_cast<std::size_t>(config.http.max_connections_per_address);
  return wanted > 0 ? wanted : std::max<std::size_t>(most_of_all / 4, 1);
}

// Whether many clients may come from that address.
bool is_shared(const std::string& peer, const std::vector<Network>& proxies) {
  static const std::array kLoopback = {Network::parse("127.0.0.0/8").value(),
                                       Network::parse("::1").value()};
  const auto address = Address::parse(peer);
  const auto contains = [&](const Network& network) { return network.contains(*address); };
  return address && (std::any_of(kLoopback.begin(), kLoopback.end(), contains) ||
                     std::any_of(proxies.begin(), proxies.end(), contains));
}

}  // namespace

ServerOptions port_options(const Config& config, const HostPort& at, Listener port,
                           const ClientMemory& memory, Metrics& metrics, LogLines& log_lines) {
  ServerOptions options;
  options.host = at.host;
  options.port = at.port;
  options.max_connections = most_connections(config);
  options.max_connections_per_address = most_of_address(config, options.max_connections);
  options.is_shared_address = [&config](const std::string& peer) {
    return is_shared(peer, config.http.trusted_proxies);
  };
  options.memory = memory.of(port);
  options.on_evicted = [&metrics, port] { metrics.evicted(port); };
  options.on_turned_away = [&metrics, port] { metrics.turned_away(port); };
  options.on_rest = [&metrics, port] { metrics.rested(port); };
  options.on_protocol_error = [&metrics](int status) { metrics.protocol_error(status); };
  options.on_connections = [&metrics, port](std::int64_t open) { metrics.connections(port, open); };
  options.log = [&log_lines](std::string_view line) { log_lines.warn(line); };
  return options;
}

}  // namespace tilth
