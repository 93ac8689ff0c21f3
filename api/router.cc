#include "api/router.h"

#include <algorithm>
#include <array>

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

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const auto& route : routes_) {
    const auto parts = split(route.pattern);
    const std::vector<std::string> segments(parts.begin(), parts.end());
    auto path = std::find_if(paths_.begin(), paths_.end(),
                             [&](const auto& each) { return each.segments == segments; });
    if (path == paths_.end()) path = paths_.insert(path, {segments, {}});
    path->routes.push_back(&route);
  }
}

Router::Match Router::match(std::string_view path) const {
  std::vector<std::string> segments;
  for (const auto part : split(path)) {
    auto segment = percent_decoded(part, false);
    if (!segment) return {};
    segments.push_back(std::move(*segment));
  }
  for (const auto& candidate : paths_) {
    const bool fits =
        std::equal(candidate.segments.begin(), candidate.segments.end(), segments.begin(),
                   segments.end(), [](const std::string& wanted, const std::string& sent) {
                     return is_parameter(wanted) || wanted == sent;
                   });
    if (!fits) continue;
    Match match{candidate.routes, {}};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto& wanted = candidate.segments[i];
      if (is_parameter(wanted)) {
        match.path.emplace_back(wanted.substr(1, wanted.size() - 2), std::move(segments[i]));
      }
    }
    return match;
  }
  return {};
}

const Route* Router::Match::find(std::string_view method) const {
  if (method == "HEAD") method = "GET";
  for (const auto* route : routes) {
    if (route->method == method) return route;
  }
  return nullptr;
}

std::string Router::Match::allow() const {
  std::string allowed;
  for (const auto* route : routes) {
    allowed.append(route->method).append(route->method == "GET" ? ", HEAD, " : ", ");
  }
  return allowed + "OPTIONS";
}

}  // namespace tilth
