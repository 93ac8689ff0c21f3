// A file named on the command line.

#pragma once

#include <string>

#include "events/values/result.h"

namespace tilth::cli {

// Its whole content; - is stdin. Errors: one sentence that names it.
Result<std::string> read_input(const std::string& file);

}  // namespace tilth::cli
