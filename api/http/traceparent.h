// The header and the attribute that name a trace: W3C Trace Context, level 1.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http/http.h"

namespace tilth {

struct Traceparent {
  std::string trace_id;  // 32 hexadecimal digits in lower case, not all zero
  std::string span_id;   // 16 of them; the header calls it the parent's id
  bool sampled = false;  // whether the caller may have recorded it

  // Null unless it is of version 00 and as the standard says.
  static std::optional<Traceparent> parse(std::string_view text);
  std::string text() const;
  friend bool operator==(const Traceparent&, const Traceparent&) = default;
};

// The request's header `traceparent` as it was sent; empty: there is none, several, or one that is
// not valid, which the standard says to ignore.
std::string_view traceparent_of(const HttpRequest& request);

}  // namespace tilth
