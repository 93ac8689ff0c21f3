// Reads the file in a ZIP archive: some services publish long files in that format.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

bool is_zip(std::string_view bytes);

// The first file in it, of at most `most_bytes`.
//
//   kInvalid  it is longer, truncated or damaged, or packed in an unusual way.
Result<std::string> unzipped(std::string_view bytes, std::size_t most_bytes);

}  // namespace tilth
