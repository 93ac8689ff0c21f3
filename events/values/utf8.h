// UTF-8 as it comes from outside.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilth {

bool is_utf8(std::string_view text);

// The number of code points in well-formed UTF-8.
std::size_t code_points(std::string_view text);

// The beginning of well-formed UTF-8, at most so many code points.
std::string_view first_code_points(std::string_view text, std::size_t at_most);

// The text with a question mark for each ill-formed sequence, so that it can be shown.
std::string well_formed(std::string_view bytes);

}  // namespace tilth
