#include "api/routing/router.h"

#include <algorithm>
#include <utility>

#include "api/http/path_segments.h"

namespace tilth {

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

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const auto& route : routes_) path_of(route).routes.push_back(&route);
}

Router::Path& Router::path_of(const Route& route) {
  PathPattern pattern(route.path());
  if (paths_.size() <= pattern.size()) paths_.resize(pattern.size() + 1);
  auto& same_size = paths_[pattern.size()];
  const auto same = std::find_if(same_size.begin(), same_size.end(),
                                 [&](const Path& path) { return path.pattern == pattern; });
  return same != same_size.end() ? *same : same_size.emplace_back(Path{std::move(pattern), {}});
}

Router::Match Router::match(std::span<const std::string_view> segments) const {
  Match match;
  if (segments.size() >= paths_.size()) return match;
  for (const auto& [pattern, routes] : paths_[segments.size()]) {
    if (!pattern.fits(segments, match.path)) continue;
    match.routes = routes;
    break;
  }
  return match;
}

const Route* Router::Match::find(std::string_view method) const {
  if (method == "HEAD") method = "GET";
  const auto found = std::find_if(routes.begin(), routes.end(),
                                  [&](const Route* route) { return route->method == method; });
  return found == routes.end() ? nullptr : *found;
}

std::string Router::Match::allow() const {
  std::string allowed;
  for (const auto* route : routes) {
    allowed.append(route->method).append(route->method == "GET" ? ", HEAD, " : ", ");
  }
  return allowed + "OPTIONS";
}

}  // namespace tilth
