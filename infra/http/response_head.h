// Writes the head of an HTTP/1.1 response.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/http/http.h"

namespace tilth {

// What the request and the connection require of the response.
struct AnswerForm {
  bool head_only = false;
  bool http_1_0 = false;
  bool keep_alive = true;
};

enum class Framing : std::uint8_t { kLength, kChunked, kUntilClose };

// Whether the response is sent with a body.
bool carries_body(const HttpResponse& response, const AnswerForm& form);

// Appends the head with Date, Connection and the headers that frame the body. Headers of `response`
// that only the server sets are left out; bytes that would end a header become blanks.
void append_head(std::string& out, const HttpResponse& response, const AnswerForm& form,
                 Framing framing);

}  // namespace tilth
