// The file that a ZIP archive holds, where it holds one: some publish what is long in that form.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

bool is_zip(std::string_view bytes);

// The first file in it, of which at most `most_bytes` are taken.
//
//   kInvalid  it is longer, cut short or damaged, or packed in a way that is not the usual one.
Result<std::string> unzipped(std::string_view bytes, std::size_t most_bytes);

}  // namespace tilth
