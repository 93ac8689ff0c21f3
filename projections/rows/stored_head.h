// Where a stream is, stored among its rows.

#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "events/log/version_gate.h"

namespace tilth {

// "12 01a1fd7b-5b6c-7929-b008-0235b1618592"
inline std::string stored_head(const StreamHead& head) {
  return std::to_string(head.version) + ' ' + head.last_id;
}

inline StreamHead read_stored_head(std::string_view text) {
  StreamHead head;
  std::from_chars(text.data(), text.data() + text.size(), head.version);
  if (const auto space = text.find(' '); space != text.npos) head.last_id = text.substr(space + 1);
  return head;
}

}  // namespace tilth
