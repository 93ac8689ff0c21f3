// Decides which requests are traced, and makes spans of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/exchange.h"
#include "api/http/request_span.h"
#include "infra/traces/span.h"

namespace tilth {

// Threads: any.
class Tracer {
 public:
  using Fill = std::function<void(std::uint8_t* bytes, std::size_t count)>;

  // `share` of the requests without a traceparent begin a trace. With one, the caller has decided.
  Tracer(double share, Fill random) : share_(share), random_(std::move(random)) {}

  // See BeginSpan.
  std::shared_ptr<RequestSpan> begin(std::string_view traceparent) const;

  // The span of a request that has one, and those of its parts.
  std::vector<Span> end(const Answered& answer) const;

 private:
  bool draw() const;
  std::string fresh_id(std::size_t bytes) const;

  const double share_;
  const Fill random_;
};

}  // namespace tilth
