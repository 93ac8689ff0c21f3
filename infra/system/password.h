// Hashes passwords.

#pragma once

#include <optional>
#include <string>

namespace tilth {

// libsodium's Argon2id with its interactive limits, in libsodium's text format. Takes about a tenth
// of a second and 64 MB.
std::string hash_password(const std::string& password);

// Whether `hash` was made of this password. Without a hash it is false, but takes as long, so that
// the time does not reveal who has a password.
bool is_password(const std::optional<std::string>& hash, const std::string& password);

}  // namespace tilth
