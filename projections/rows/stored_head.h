// Where a stream is, stored among its rows.

#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "events/log/version_gate.h"
#include "projections/rows/rows.h"

namespace tilth {

// The kind of Rows::own_key() that it is under.
inline constexpr char kStoredHeadKind = 'v';

// The same key.
inline std::string stored_head_key(std::string_view stream) {
  std::string key;
  key.reserve(stream.size() + 2);
  key.append(stream).append(1, '\0').append(1, kStoredHeadKind);
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

// The version of the rows' stream as it is stored: a view of rows has no Rows::version().
inline std::uint64_t stored_version(const Rows& rows) {
  const auto head = rows.own(rows.own_key(kStoredHeadKind));
  return head ? read_stored_head(*head).version : 0;
}

}  // namespace tilth
