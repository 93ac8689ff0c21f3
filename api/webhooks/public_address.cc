#include "api/webhooks/public_address.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <arpa/inet.h>

#include "events/values/ascii.h"

namespace tilth {
namespace {

std::vector<Network> networks(std::initializer_list<std::string_view> all) {
  std::vector<Network> parsed;
  for (const auto text : all) parsed.push_back(Network::parse(text).value());
  return parsed;
}

bool lies_in(const std::vector<Network>& networks, const Address& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& network) { return network.contains(address); });
}

// The special-purpose registry of IANA; multicast and reserved addresses; and 168.63.129.16, where
// a cloud has its own services.
bool is_public_v4(const Address& address) {
  static const auto kOthers = networks(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16", "169.254.0.0/16",
       "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
       "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"});
  return !lies_in(kOthers, address);
}

Address v4_of(const std::uint8_t* four_bytes) {
  Address address;
  address.bytes[10] = address.bytes[11] = 0xFF;
  std::copy_n(four_bytes, 4, address.bytes.begin() + 12);
  return address;
}

// Only 2000::/3 is in use, apart from NAT64.
bool is_public_v6(const Address& address) {
  static const auto kNat64 = networks({"64:ff9b::/96"});
  static const auto kGlobal = networks({"2000::/3"});
  static const auto kOthers = networks({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"});
  if (lies_in(kNat64, address)) return is_public_v4(v4_of(address.bytes.data() + 12));
  return lies_in(kGlobal, address) && !lies_in(kOthers, address);
}

}  // namespace

bool is_public(const Address& address) {
  return address.is_v4() ? is_public_v4(address) : is_public_v6(address);
}

bool may_be_public(std::string_view host) {
  if (host.starts_with('[')) {
    host.remove_prefix(1);
    const auto address = Address::parse(host.substr(0, host.find_first_of("]%")));
    return address && is_public(*address);
  }
  const auto name = to_lower(host.ends_with('.') ? host.substr(0, host.size() - 1) : host);
  if (name == "localhost" || name.ends_with(".localhost")) return false;
  in_addr four{};
  if (::inet_aton(name.c_str(), &four) == 0) return true;  // decimal, octal and short ones, too
  std::uint8_t bytes[4];
  std::memcpy(bytes, &four, sizeof bytes);
  return is_public(v4_of(bytes));
}

}  // namespace tilth
