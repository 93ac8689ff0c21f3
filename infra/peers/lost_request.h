// A request that was forwarded to another node and got no answer.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/http/http.h"

namespace tilth {

// What is known of it.
enum class Lost : std::uint8_t {
  kNotSent,  // it has certainly not been carried out
  kUnknown,  // it may have been
};

// Gets back what was sent, for another attempt. `why` is a plain sentence for the log. A large body
// that was read from is gone.
using OnLost = std::function<void(Lost lost, std::string why, HttpRequest request,
                                  std::unique_ptr<Responder> to)>;

}  // namespace tilth
