#include "api/router.h"

#include "api/query_string.h"

namespace tilth {
namespace {

constexpr std::size_t kDeepest = 16;  // more segments than any route has

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (segments.size() <= kDeepest) {
    const auto slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == path.npos) break;
    path.remove_prefix(slash + 1);
  }
  return segments;
}

}  // namespace

PathPattern::PathPattern(std::string_view pattern) {
  for (const auto segment : split(pattern)) segments_.emplace_back(segment);
}

bool PathPattern::fits(const std::vector<std::string>& segments, Parameters& parameters) const {
  if (segments.size() != segments_.size()) return false;
  const auto is_parameter = [](const std::string& segment) { return segment.starts_with('{'); };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool same =
        is_parameter(segments_[i]) ? !segments[i].empty() : segments_[i] == segments[i];
    if (!same) return false;
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& name = segments_[i];
    if (is_parameter(name)) {
      parameters.emplace_back(name.substr(1, name.size() - 2), segments[i]);
    }
  }
  return true;
}

std::vector<std::string> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  for (const auto part : split(path)) {
    auto segment = percent_decoded(part, false);
    if (!segment) return {};
    segments.push_back(std::move(*segment));
  }
  return segments;
}

}  // namespace tilth
