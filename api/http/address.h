// From where a request comes: internet addresses, the networks that hold them, and which of several
// addresses is the client's when proxies stand in between.

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

// One IPv4 or IPv6 address. ::ffff:192.0.2.1 is 192.0.2.1. Kept as IPv6 has it.
struct Address {
  static constexpr std::string_view kExpected = "an IPv4 or IPv6 address";
  std::array<std::uint8_t, 16> bytes = {};

  static std::optional<Address> parse(std::string_view text);
  bool is_v4() const;
  std::string text() const;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// A network, "192.0.2.0/24" or "2001:db8::/32", or an address that stands for itself alone. Bits
// behind the prefix count for nothing, so "192.0.2.77/24" is the same network. An IPv4 address lies
// in no IPv6 network: "::/0" is all of IPv6 and none of IPv4.
struct Network {
  static constexpr std::string_view kExpected =
      "an IPv4 or IPv6 address or network, such as 192.0.2.0/24";
  Address address = {};
  int prefix = 128;  // of the 128 bits of the address as it is kept

  static std::optional<Network> parse(std::string_view text);
  bool contains(const Address& candidate) const;
  std::string text() const;  // without a prefix when it stands for one address alone
};

// The client's address: the peer, or, if that is a trusted proxy, the rightmost address that is not
// one among all X-Forwarded-For headers, in the order received. An entry that is no address ends
// the search at the one before it. Nothing where the peer's own address cannot be read.
std::optional<Address> client_address(std::string_view peer,
                                      std::span<const std::string> forwarded_for,
                                      std::span<const Network> trusted);

}  // namespace tilth
