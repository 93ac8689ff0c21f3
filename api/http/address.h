// Internet addresses, networks, and which of several addresses is the client's behind proxies.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "events/values/textual.h"

namespace tilth {

struct Network;

// One IPv4 or IPv6 address, stored in IPv6 form. ::ffff:192.0.2.1 is 192.0.2.1.
struct Address {
  static constexpr std::string_view kExpected = "an IPv4 or IPv6 address";
  std::array<std::uint8_t, 16> bytes = {};

  static std::optional<Address> parse(std::string_view text);
  bool is_v4() const;
  std::string text() const;

  // What limits by address count: the address, or for IPv6 its /64, all of which one client may
  // use: "192.0.2.1", "2001:db8:0:7::/64".
  std::string counted() const;

  // The network that it probably shares an owner with: its /24, for IPv6 its /48.
  Network neighbours() const;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// A network, "192.0.2.0/24" or "2001:db8::/32", or a single address. Bits after the prefix are
// ignored, so "192.0.2.77/24" is the same network. No IPv6 network contains an IPv4 address: "::/0"
// is all of IPv6 and none of IPv4.
struct Network {
  static constexpr std::string_view kExpected =
      "an IPv4 or IPv6 address or network, such as 192.0.2.0/24";
  Address address = {};
  int prefix = 128;  // of the 128 bits of the stored address

  static std::optional<Network> parse(std::string_view text);
  bool contains(const Address& candidate) const;
  std::string text() const;  // without a prefix for a single address
};

// The same for an address in text, as a request carries it. Text that is no address stays.
std::string counted_address(std::string_view address);

// The client's address: the peer, or, if that is a trusted proxy, the rightmost untrusted address
// in the X-Forwarded-For headers, in the order received. An invalid entry ends the search at the
// address to its right. Null if the peer's address cannot be parsed.
std::optional<Address> client_address(std::string_view peer,
                                      std::span<const std::string> forwarded_for,
                                      std::span<const Network> trusted);

}  // namespace tilth
