// Seals texts with the key of an owner, and opens them again (XChaCha20-Poly1305 of libsodium).

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

using OwnerKey = std::array<std::uint8_t, 32>;

OwnerKey make_owner_key();
void wipe(OwnerKey& key);

// Threads: any.
class Sealer {
 public:
  Sealer();

  // Under a nonce that nothing else has.
  std::string seal(const OwnerKey& key, std::string_view context, std::string_view plain);

  // kDamaged: `sealed` is not what the key has sealed in that context; the message is the end of a
  // sentence.
  static Result<std::string> open(const OwnerKey& key, std::string_view context,
                                  std::string_view sealed);

 private:
  void fill_nonce(std::uint8_t* nonce);

  std::array<std::uint8_t, 16> nonces_begin_ = {};  // random, so that no other process has them
  std::atomic<std::uint64_t> sealed_ = 0;
};

}  // namespace tilth
