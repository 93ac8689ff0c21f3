// How passwords are kept.

#pragma once

#include <string>

namespace tilth {

// Argon2id of libsodium, with its interactive limits, in its own text form. Takes about a tenth of
// a second and 64 MB.
std::string hash_password(const std::string& password);

}  // namespace tilth
