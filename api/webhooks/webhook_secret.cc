#include "api/webhooks/webhook_secret.h"

#include <array>

#include <sodium.h>

namespace tilth {
namespace {

using SecretBytes = std::array<unsigned char, crypto_auth_hmacsha256_BYTES>;

SecretBytes secret_bytes(const KeyDigest& digest, const WebhookSecretId& id) {
  const auto hex = digest.of("the secret of a webhook: " + id.text());
  SecretBytes bytes{};
  sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr, nullptr, nullptr);
  return bytes;
}

std::string base64(const unsigned char* bytes, std::size_t count) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(count, kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes, count, kVariant);
  text.pop_back();
  return text;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string sign(const SecretBytes& secret, std::string_view id, std::string_view seconds,
                 std::string_view body) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, secret.data(), secret.size());
  for (const auto part : {id, std::string_view("."), seconds, std::string_view("."), body}) {
    crypto_auth_hmacsha256_update(&state, bytes_of(part), part.size());
  }
  SecretBytes signature;
  crypto_auth_hmacsha256_final(&state, signature.data());
  return "v1," + base64(signature.data(), signature.size());
}

}  // namespace

std::string webhook_secret(const KeyDigest& digest, const WebhookSecretId& id) {
  const auto bytes = secret_bytes(digest, id);
  return "whsec_" + base64(bytes.data(), bytes.size());
}

std::string webhook_signature(const KeyDigest& digest, const Webhook& webhook, Timestamp now,
                              std::string_view id, std::string_view seconds,
                              std::string_view body) {
  auto all = sign(secret_bytes(digest, webhook.secret_id), id, seconds, body);
  for (const auto& replaced : webhook.replaced_secrets) {
    if (now >= replaced.until) continue;
    all.append(1, ' ').append(sign(secret_bytes(digest, replaced.id), id, seconds, body));
  }
  return all;
}

}  // namespace tilth
