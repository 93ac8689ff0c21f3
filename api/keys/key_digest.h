// What is kept of an API key instead of the key.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tilth {

// HMAC-SHA256 of a key under the service's secret, in hex. No one can find the key from it, and
// without the secret no one can tell whether a guess is right.
//
// Remembers the digests of keys that came lately, since the same ones come over and over. It holds
// no key: they are told apart by 128 bits of SipHash under a secret, so that no one can aim at
// another's, nor learn anything from the time that a look-up takes. A digest follows from its key
// alone, so whether the key is good is asked again each time. Threads: any.
class KeyDigest {
 public:
  explicit KeyDigest(std::string_view secret);
  std::string of(std::string_view key) const;

 private:
  static constexpr std::size_t kDigits = 64, kRemembered = 4'096;
  using Tag = std::array<std::uint8_t, 16>;
  struct Slot {
    Tag tag = {};
    std::array<char, kDigits> digest = {};  // none if the first is 0
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
