#include "infra/system/password.h"

#include <array>
#include <stdexcept>

#include <sodium.h>

namespace tilth {

std::string hash_password(const std::string& password) {
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (sodium_init() < 0 || crypto_pwhash_str(hash.data(), password.data(), password.size(),
                                             crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                             crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    throw std::runtime_error("There is not enough memory to hash a password.");
  }
  return hash.data();
}

bool is_password(const std::optional<std::string>& hash, const std::string& password) {
  // A dummy with the same limits as all others.
  static const std::string kOfNoAccount = hash_password("no one");
  const auto& asked = hash ? *hash : kOfNoAccount;
  const bool is = crypto_pwhash_str_verify(asked.c_str(), password.data(), password.size()) == 0;
  return is && hash.has_value();
}

}  // namespace tilth
