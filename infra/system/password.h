// How passwords are kept.

#pragma once

#include <optional>
#include <string>

namespace tilth {

// Argon2id of libsodium, with its interactive limits, in its own text form. Takes about a tenth of
// a second and 64 MB.
std::string hash_password(const std::string& password);

// Whether that is the password of which `hash` was made. Where there is no hash it takes as long,
// so that no one learns who has one, and is false.
bool is_password(const std::optional<std::string>& hash, const std::string& password);

}  // namespace tilth
