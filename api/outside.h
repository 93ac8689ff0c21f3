// What is answered outside /api/v1: the platform hands such requests on.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/exchange.h"
#include "api/key_ring.h"
#include "events/result.h"

namespace tilth {

// A request outside /api/v1.
struct OutsideCall {
  std::shared_ptr<Exchange> exchange;
  std::string client;  // the address that counts
  // Whose key it carries, counted as a request of v1; or v1's 401, 429 or 403 for the address.
  // No holder: OPTIONS without a key.
  std::function<Result<std::shared_ptr<const KeyHolder>>()> admit;
};

// Threads: any.
class Outside {
 public:
  virtual ~Outside() = default;

  // False, and nothing is answered or counted: there is no such path.
  virtual bool serve(const OutsideCall& call) = 0;
};

}  // namespace tilth
