// Checks a request's head beyond its grammar, so that every parser finds the same target, the same
// host and the same end.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "api/http/http.h"
#include "infra/http/refused_bytes.h"

namespace tilth {

// How the body of a request is framed, and what its head requires of the connection.
struct HeadFacts {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool expects_continue = false;
  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// Splits the target into request.path and request.query, and returns the facts or a refusal.
// `request` already has its headers.
std::variant<HeadFacts, Refusal> check_head(std::string_view target, bool http_1_0,
                                            HttpRequest& request);

}  // namespace tilth
