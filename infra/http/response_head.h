// Writes the head of an answer as HTTP/1.1 spells it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/http/http.h"

namespace tilth {

// What the request and the connection ask of its answer.
struct AnswerForm {
  bool head_only = false;
  bool http_1_0 = false;
  bool keep_alive = true;
};

enum class Framing : std::uint8_t { kLength, kChunked, kUntilClose };

// True if the answer has a body, and none is left out.
bool carries_body(const HttpResponse& response, const AnswerForm& form);

// Appends the head with Date, Connection and what frames the body. Headers that are the server's
// are left out of `response`; bytes that would end a header become blanks.
void append_head(std::string& out, const HttpResponse& response, const AnswerForm& form,
                 Framing framing);

}  // namespace tilth
