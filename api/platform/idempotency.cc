#include "api/platform/idempotency.h"

#include <array>
#include <string_view>

#include <sodium.h>

#include "events/values/ids.h"

namespace tilth {
namespace {

std::string hash_of(const HttpRequest& request) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  for (const std::string_view part :
       {std::string_view(request.method), std::string_view(" "), std::string_view(request.path),
        std::string_view("?"), std::string_view(request.query), std::string_view("\n"),
        std::string_view(request.body)}) {
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(part.data()),
                              part.size());
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256_final(&state, hash.data());
  std::string hex(hash.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  hex.pop_back();
  return hex;
}

}  // namespace

Result<std::optional<Idempotency>> read_idempotency(const HttpRequest& request) {
  const auto* header = request.header("idempotency-key");
  if (header == nullptr) return std::optional<Idempotency>();
  const auto key = Uuid::parse(*header);
  const bool repeated = request.repeats("idempotency-key");
  if (!key || repeated) {
    return Error{ErrorCode::kInvalid,
                 "The request is not valid.",
                 {{"Idempotency-Key", {repeated ? "must be given once" : "must be a UUID"}}}};
  }
  return std::optional(Idempotency{key->text(), hash_of(request)});
}

}  // namespace tilth
