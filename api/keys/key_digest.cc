#include "api/keys/key_digest.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <sodium.h>

namespace tilth {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

bool KeyDigest::same(std::string_view one, std::string_view other) {
  static_assert(kDigits == crypto_verify_64_BYTES);
  return one.size() == kDigits && other.size() == kDigits &&
         crypto_verify_64(bytes_of(one), bytes_of(other)) == 0;
}

KeyDigest::KeyDigest(std::string_view secret) {
  static_assert(std::is_trivially_copyable_v<crypto_auth_hmacsha256_state> &&
                sizeof(crypto_auth_hmacsha256_state) <= sizeof keyed_);
  if (sodium_init() < 0) std::abort();
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes_of(secret), secret.size());
  std::memcpy(keyed_.data(), &state, sizeof state);
  const auto derived = compute("what tells remembered keys apart");
  sodium_hex2bin(tag_secret_.data(), tag_secret_.size(), derived.data(), 2 * tag_secret_.size(),
                 nullptr, nullptr, nullptr);
}

std::string KeyDigest::of(std::string_view key) const {
  static_assert(sizeof(Tag) == crypto_shorthash_siphashx24_BYTES &&
                sizeof(Tag) == crypto_shorthash_siphashx24_KEYBYTES);
  Tag tag;
  crypto_shorthash_siphashx24(tag.data(), bytes_of(key), key.size(), tag_secret_.data());
  std::size_t number = 0;
  std::memcpy(&number, tag.data(), sizeof number);
  auto& slot = memory_->slots.at(number % kRemembered);
  auto& mutex = memory_->mutexes.at(number % memory_->mutexes.size());
  {
    const std::lock_guard lock(mutex);
    if (slot.tag == tag && slot.digest[0] != 0) return {slot.digest.data(), kDigits};
  }
  auto digest = compute(key);
  const std::lock_guard lock(mutex);
  slot.tag = tag;
  std::memcpy(slot.digest.data(), digest.data(), kDigits);
  return digest;
}

std::string KeyDigest::compute(std::string_view key) const {
  crypto_auth_hmacsha256_state state;
  std::memcpy(&state, keyed_.data(), sizeof state);
  crypto_auth_hmacsha256_update(&state, bytes_of(key), key.size());
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> digest;
  crypto_auth_hmacsha256_final(&state, digest.data());
  std::string hex(kDigits + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  hex.pop_back();
  return hex;
}

}  // namespace tilth
