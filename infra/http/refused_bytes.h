// Bytes that are not an HTTP request.

#pragma once

#include <string_view>

namespace tilth {

// Nothing is read after them. `reason` is one plain sentence.
struct Refusal {
  int status = 400;
  std::string_view reason;
};

}  // namespace tilth
