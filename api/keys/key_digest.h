// The digest that is stored instead of an API key.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tilth {

// HMAC-SHA256 of a key under the service's secret, in hex. The key cannot be derived from it, and
// without the secret a guess cannot be checked.
//
// Caches the digests of recent keys, since the same keys are used over and over. It stores no key:
// entries are identified by 128 bits of SipHash under a secret, so a caller cannot target another
// key's entry or learn anything from the time of a look-up. A digest depends only on its key;
// whether the key is valid is checked every time. Threads: any.
class KeyDigest {
 public:
  explicit KeyDigest(std::string_view secret);
  std::string of(std::string_view key) const;

  // In constant time. False for what is no digest.
  static bool same(std::string_view one, std::string_view other);

 private:
  static constexpr std::size_t kDigits = 64, kRemembered = 4'096;
  using Tag = std::array<std::uint8_t, 16>;
  struct Slot {
    Tag tag = {};
    std::array<char, kDigits> digest = {};  // empty if the first is 0
  };
  struct Memory {
    std::array<std::mutex, 16> mutexes;
    std::array<Slot, kRemembered> slots;
  };

  std::string compute(std::string_view key) const;

  std::array<std::uint8_t, 512> keyed_ = {};  // libsodium's state after the secret, to be copied
  Tag tag_secret_ = {};
  const std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

}  // namespace tilth
