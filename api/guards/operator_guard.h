// Lets in who sends the operator's token.

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

  // Whether the request carries the token; compared in a time that tells nothing of it.
  bool admits(const HttpRequest& head) const;

  // kUnauthorized.
  Status admit(const HttpRequest& request) const;

 private:
  const std::string token_;
};

}  // namespace tilth
