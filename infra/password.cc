#include "infra/password.h"

#include <array>
#include <stdexcept>

#include <sodium.h>

namespace tilth {

std::string hash_password(const std::string& password) {
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (sodium_init() < 0 || crypto_pwhash_str(hash.data(), password.data(), password.size(),
                                             crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                             crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    throw std::runtime_error("There is no memory to hash a password.");
  }
  return hash.data();
}

}  // namespace tilth
