// Finds the name that was meant by a misspelt one.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

// The one of `known` that is nearest to `given`, in characters to insert, remove or replace, where
// two that change places count once. nullptr if that takes more than one in three characters of the
// known name or more than two, or if `given` is known. All begin with `prefix` characters that do
// not count.
const std::string* similar_name(std::string_view given, const std::vector<std::string>& known,
                                std::size_t prefix);

}  // namespace tilth
