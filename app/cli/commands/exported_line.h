// An event's line as it leaves the service for a file or a terminal.

#pragma once

#include <string>
#include <string_view>

namespace tilth::cli {

// The line with null in place of a password's hash, which could be guessed offline. What else is in
// it does not change, byte for byte. Keys' digests stay: without the key secret, which no export
// holds, nothing follows from them.
std::string without_password_hash(std::string_view line);

}  // namespace tilth::cli
