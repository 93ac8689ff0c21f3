#include "infra/keys/sealer.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include <sodium.h>

#include "infra/system/random.h"

namespace tilth {
namespace {

constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == sizeof(OwnerKey));

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

Error damaged(std::string what) { return {ErrorCode::kDamaged, std::move(what)}; }

}  // namespace

OwnerKey make_owner_key() {
  OwnerKey key{};
  fill_random(key.data(), key.size());
  return key;
}

void wipe(OwnerKey& key) { sodium_memzero(key.data(), key.size()); }

Sealer::Sealer() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialized.");
  fill_random(nonces_begin_.data(), nonces_begin_.size());
}

// A count costs less than random bytes, and does not repeat either.
void Sealer::fill_nonce(std::uint8_t* nonce) {
  const std::uint64_t number = sealed_.fetch_add(1, std::memory_order_relaxed);
  static_assert(sizeof nonces_begin_ + sizeof number == kNonceBytes);
  std::memcpy(nonce, nonces_begin_.data(), nonces_begin_.size());
  std::memcpy(nonce + nonces_begin_.size(), &number, sizeof number);
}

std::string Sealer::seal(const OwnerKey& key, std::string_view context, std::string_view plain) {
  std::string sealed(kNonceBytes + plain.size() + kTagBytes, '\0');
  auto* const nonce = bytes_of(sealed);
  fill_nonce(nonce);
  unsigned long long size = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonceBytes, &size, bytes_of(plain),
                                             plain.size(), bytes_of(context), context.size(),
                                             nullptr, nonce, key.data());
  return sealed;
}

Result<std::string> Sealer::open(const OwnerKey& key, std::string_view context,
                                 std::string_view sealed) {
  if (sealed.size() < kNonceBytes + kTagBytes) return damaged("its sealed part is too short");
  std::string plain(sealed.size() - kNonceBytes - kTagBytes, '\0');
  unsigned long long size = 0;
  const bool is_ours = crypto_aead_xchacha20poly1305_ietf_decrypt(
                           bytes_of(plain), &size, nullptr, bytes_of(sealed) + kNonceBytes,
                           sealed.size() - kNonceBytes, bytes_of(context), context.size(),
                           bytes_of(sealed), key.data()) == 0;
  if (!is_ours) return damaged("its sealed part cannot be opened with the owner's key");
  return plain;
}

}  // namespace tilth
