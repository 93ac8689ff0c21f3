#include "api/routing/router.h"

#include <algorithm>

#include "api/http/query_string.h"

namespace tilth {
namespace {

constexpr std::string_view kUndecodable = "\xFF";  // what nothing is decoded to

// Nothing in it has to be decoded or checked.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c != '%' && static_cast<unsigned char>(c) < 0x80; });
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

PathPattern::PathPattern(std::string_view pattern) {
  const PathSegments segments(pattern);
  for (const auto segment : segments.all()) {
    const bool is_name = segment.starts_with('{');
    segments_.push_back(
        {std::string(is_name ? segment.substr(1, segment.size() - 2) : segment), is_name});
  }
}

bool PathPattern::fits(std::span<const std::string_view> segments,
                       PathParameters& parameters) const {
  const bool fits = std::equal(segments_.begin(), segments_.end(), segments.begin(), segments.end(),
                               [](const Segment& wanted, std::string_view segment) {
                                 return wanted.is_name ? !segment.empty() : segment == wanted.text;
                               });
  if (!fits) return false;
  parameters.reserve(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments_[i].is_name) parameters.emplace_back(segments_[i].text, segments[i]);
  }
  return true;
}

}  // namespace tilth
