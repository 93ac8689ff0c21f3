// Where a stream is, stored among its rows.

#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "events/log/version_gate.h"

namespace tilth {

// Under which key it is, as Rows::own_key('v').
inline std::string stored_head_key(std::string_view stream) {
  constexpr std::string_view kVersion("\0v", 2);
  std::string key;
  key.reserve(stream.size() + kVersion.size());
  key.append(stream).append(kVersion);
  return key;
}

// "12 01a1fd7b-5b6c-7929-b008-0235b1618592"
inline std::string stored_head(const StreamHead& head) {
  std::string text;
  text.reserve(std::numeric_limits<std::uint64_t>::digits10 + 2 + head.last_id.size());
  text.append(std::to_string(head.version)).append(1, ' ').append(head.last_id);
  return text;
}

inline StreamHead read_stored_head(std::string_view text) {
  StreamHead head;
  std::from_chars(text.data(), text.data() + text.size(), head.version);
  if (const auto space = text.find(' '); space != text.npos) head.last_id = text.substr(space + 1);
  return head;
}

}  // namespace tilth
