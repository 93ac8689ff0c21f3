// Who shares their turns of a server's thread.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace tilth {

// All connections of an account whose valid credentials they have shown, else those of a network.
// Two that share an `id` by chance only share their turns.
struct Party {
  bool known = false;  // has shown valid credentials
  std::uint64_t id = 0;

  static Party of_account(std::string_view account) {
    return {true, std::hash<std::string_view>{}(account)};
  }
  static Party of_network(std::string_view address) {
    return {false, std::hash<std::string_view>{}(address)};
  }

  bool operator==(const Party&) const = default;
};

}  // namespace tilth
