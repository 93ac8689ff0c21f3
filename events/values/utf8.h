// UTF-8 as it comes from outside.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilth {

bool is_utf8(std::string_view text);

// The number of code points in well-formed UTF-8.
std::size_t code_points(std::string_view text);

// The text with a question mark for each ill-formed sequence, so that it can be shown.
std::string well_formed(std::string_view bytes);

}  // namespace tilth
