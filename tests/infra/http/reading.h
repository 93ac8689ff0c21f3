// The outcomes of a RequestReader for some bytes, as a line of text.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "infra/http/request_reader.h"

namespace tilth {

inline std::string show(const CompleteRequest& read) {
  const auto& request = read.request;
  std::string text = request.method + " " + request.path;
  if (!request.query.empty()) text += "?" + request.query;
  for (const auto& [name, value] : request.headers)
    text.append(" ").append(name).append("=").append(value);
  if (request.body_too_large) text += " too large";
  if (!request.body.empty()) text += " '" + request.body + "'";
  if (read.http_1_0) text += " 1.0";
  if (!read.keep_alive) text += " closes";
  return text;
}

// All outcomes of the bytes fed so far: "GET / host=a; continue; 400".
inline std::string show_outcomes(RequestReader& reader) {
  std::string text;
  for (;;) {
    const ReadOutcome outcome = reader.next();
    if (std::holds_alternative<NeedsMore>(outcome)) return text;
    if (const auto* read = std::get_if<CompleteRequest>(&outcome)) text += show(*read);
    if (std::holds_alternative<AwaitsContinue>(outcome)) text += "continue";
    if (const auto* no = std::get_if<Refusal>(&outcome)) text += std::to_string(no->status);
    text += "; ";
  }
}

// The outcomes of the bytes, fed in pieces of at most `piece_size`.
inline std::string read_all(std::string_view bytes, std::size_t piece_size = std::string_view::npos,
                            const ReaderLimits& limits = {}) {
  RequestReader reader(limits);
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_size, bytes.size()))) {
    reader.feed(bytes.substr(0, piece_size));
    text += show_outcomes(reader);
  }
  return text;
}

}  // namespace tilth
