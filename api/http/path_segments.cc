#include "api/http/path_segments.h"

#include "api/http/query_string.h"
#include "events/values/eight_bytes.h"

namespace tilth {
namespace {

constexpr std::string_view kUndecodable = "\xFF";  // replaces a segment that cannot be decoded

// Nothing in it needs decoding or checking.
bool is_plain(std::string_view text) {
  const auto end_of_plain = eight_bytes::find_end(
      text, 0,
      [](std::uint64_t eight) {
        return eight_bytes::equal(eight, '%') | (eight & eight_bytes::kTop);
      },
      [](char c) { return c == '%' || static_cast<unsigned char>(c) >= 0x80; });
  return end_of_plain == text.size();
}

}  // namespace

PathSegments::PathSegments(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  for (bool more = true; more && count_ < kMost;) {
    const auto slash = path.find('/');
    auto segment = path.substr(0, slash);
    if (!is_plain(segment)) {
      segment = decoded_.emplace_front(
          percent_decoded(segment, false).value_or(std::string(kUndecodable)));
    }
    segments_.at(count_++) = segment;
    more = slash != path.npos;
    if (more) path.remove_prefix(slash + 1);
  }
}

}  // namespace tilth
