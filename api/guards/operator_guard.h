// Admits requests that carry the operator's token.

#pragma once

#include <string>
#include <utility>

#include "api/http/http.h"
#include "events/values/result.h"

namespace tilth {

// Threads: any.
class OperatorGuard {
 public:
  explicit OperatorGuard(std::string token) : token_(std::move(token)) {}

  // Whether the request carries the token; compares in constant time.
  bool admits(const HttpRequest& head) const;

  // kUnauthorized.
  Status admit(const HttpRequest& request) const;

 private:
  const std::string token_;
};

}  // namespace tilth
