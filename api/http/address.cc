#include "api/http/address.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr int kMappedBits = 96;

bool is_trusted(const Address& address, std::span<const Network> trusted) {
  return std::any_of(trusted.begin(), trusted.end(),
                     [&](const auto& network) { return network.contains(address); });
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  if (text.size() > INET6_ADDRSTRLEN || text.find('\0') != text.npos) return std::nullopt;
  const std::string terminated(text);
  Address address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  std::copy(kMapped.begin(), kMapped.end(), address.bytes.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data() + kMapped.size()) == 1) {
    return address;
  }
  return std::nullopt;
}

bool Address::is_v4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()); }

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer = {};
  const auto* from = is_v4() ? bytes.data() + kMapped.size() : bytes.data();
  inet_ntop(is_v4() ? AF_INET : AF_INET6, from, buffer.data(), buffer.size());
  return buffer.data();
}

std::string Address::counted() const {
  if (is_v4()) return text();
  constexpr int kOneClient = 64;
  Address network = *this;
  std::fill(network.bytes.begin() + kOneClient / 8, network.bytes.end(), 0);
  return Network{network, kOneClient}.text();
}

Network Address::neighbours() const {
  constexpr int kPrefixOfV4 = kMappedBits + 24, kPrefixOfV6 = 48;
  Network network{*this, is_v4() ? kPrefixOfV4 : kPrefixOfV6};
  const auto kept = network.prefix / 8;
  std::fill(network.address.bytes.begin() + kept, network.address.bytes.end(), 0);
  return network;
}

std::string counted_address(std::string_view address) {
  const auto parsed = Address::parse(address.substr(0, address.find('%')));  // fe80::1%eth0
  return parsed ? parsed->counted() : std::string(address);
}

std::optional<Network> Network::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto written = text.substr(0, slash);
  const auto address = Address::parse(written);
  if (!address) return std::nullopt;
  if (slash == text.npos) return Network{*address, 128};
  const auto digits = text.substr(slash + 1);
  if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) {
    return std::nullopt;
  }
  int prefix = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || prefix < 0) {
    return std::nullopt;
  }
  if (written.find(':') == written.npos) prefix += kMappedBits;
  if (prefix > 128 || (address->is_v4() && prefix < kMappedBits)) return std::nullopt;
  return Network{*address, prefix};
}

bool Network::contains(const Address& candidate) const {
  if (candidate.is_v4() != address.is_v4()) return false;
  const auto whole = static_cast<std::size_t>(prefix / 8);
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + prefix / 8,
                  candidate.bytes.begin())) {
    return false;
  }
  if (prefix % 8 == 0) return true;
  const auto differing = static_cast<unsigned>(address.bytes[whole] ^ candidate.bytes[whole]);
  return differing >> (8 - prefix % 8) == 0;
}

std::string Network::text() const {
  if (prefix == 128) return address.text();
  return address.text() + "/" + std::to_string(address.is_v4() ? prefix - kMappedBits : prefix);
}

std::optional<Address> client_address(std::string_view peer,
                                      std::span<const std::string> forwarded_for,
                                      std::span<const Network> trusted) {
  auto nearest = Address::parse(peer.substr(0, peer.find('%')));  // fe80::1%eth0
  if (!nearest) return std::nullopt;
  for (auto header = forwarded_for.rbegin(); header != forwarded_for.rend(); ++header) {
    for (std::string_view rest = *header; is_trusted(*nearest, trusted);) {
      const auto comma = rest.rfind(',');
      const auto farther =
          Address::parse(trim_blanks(rest.substr(comma == rest.npos ? 0 : comma + 1)));
      if (!farther) return nearest;
      nearest = farther;
      if (comma == rest.npos) break;
      rest = rest.substr(0, comma);
    }
  }
  return nearest;
}

}  // namespace tilth
