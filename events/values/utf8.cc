#include "events/values/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <unicode/ustring.h>
#include <unicode/utf8.h>

namespace tilth {
namespace {

bool is_ascii(std::string_view text) {
  std::uint64_t all = 0, eight = 0;
  for (; text.size() >= sizeof eight; text.remove_prefix(sizeof eight)) {
    std::memcpy(&eight, text.data(), sizeof eight);
    all |= eight;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080U) == 0;
}

bool begins_code_point(char c) { return (c & 0xC0) != 0x80; }

}  // namespace

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  if (text.size() > std::numeric_limits<std::int32_t>::max()) return false;
  UErrorCode error = U_ZERO_ERROR;
  std::int32_t units = 0;  // only counted: there is no buffer to write to
  u_strFromUTF8(nullptr, 0, &units, text.data(), static_cast<std::int32_t>(text.size()), &error);
  return error == U_BUFFER_OVERFLOW_ERROR || U_SUCCESS(error);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

std::string_view first_code_points(std::string_view text, std::size_t at_most) {
  const auto end = std::find_if(text.begin(), text.end(), [&at_most](char c) {
    return begins_code_point(c) && at_most-- == 0;
  });
  return {text.begin(), end};
}

std::string well_formed(std::string_view bytes) {
  const auto* units = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t from = at;
    UChar32 c = 0;
    U8_NEXT(units, at, bytes.size(), c);
    text.append(c < 0 ? "?" : bytes.substr(from, at - from));
  }
  return text;
}

}  // namespace tilth
