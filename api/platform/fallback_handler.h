// What is answered outside /api/v1: the platform hands such requests on.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/keys/key_ring.h"
#include "api/platform/exchange.h"
#include "events/values/result.h"

namespace tilth {

// A request outside /api/v1.
struct FallbackCall {
  std::shared_ptr<Exchange> exchange;
  std::string client;  // the address that counts
  // Whose key it carries, counted as a request of v1; or v1's 401, 429 or 403 for the address.
  // No holder: OPTIONS without a key.
  std::function<Result<std::shared_ptr<const KeyHolder>>()> admit;
};

// Threads: any.
class FallbackHandler {
 public:
  virtual ~FallbackHandler() = default;

  // False, and nothing is answered or counted: there is no such path.
  virtual bool serve(const FallbackCall& call) = 0;
};

}  // namespace tilth
