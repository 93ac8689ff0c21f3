// Finds the routes of a path: each segment is percent-decoded and must match exactly.

#pragma once

#include <array>
#include <cstddef>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/routing/read_request.h"

namespace tilth {

// The decoded segments of a path as it was sent, which must outlive them. One that cannot be
// decoded fits nothing.
class PathSegments {
 public:
  static constexpr std::size_t kMost = 17;  // more than any route has; what follows is one more

  explicit PathSegments(std::string_view path);
  PathSegments(const PathSegments&) = delete;
  PathSegments& operator=(const PathSegments&) = delete;

  std::span<const std::string_view> all() const { return std::span(segments_).first(count_); }

 private:
  std::array<std::string_view, kMost> segments_;
  std::size_t count_ = 0;
  std::forward_list<std::string> decoded_;  // those that do not stand in the path as they are
};

// A path as routes write it: "/farms/{id}".
class PathPattern {
 public:
  explicit PathPattern(std::string_view pattern);

  // Whether the decoded segments of a path fit; what stands in the {names} goes to `parameters`.
  bool fits(std::span<const std::string_view> segments, PathParameters& parameters) const;
  friend bool operator==(const PathPattern&, const PathPattern&) = default;

 private:
  struct Segment {
    std::string text;  // the name, of a {name}
    bool is_name = false;
    friend bool operator==(const Segment&, const Segment&) = default;
  };
  std::vector<Segment> segments_;
};

// R has `method` and `pattern`.
template <class R>
class Router {
 public:
  explicit Router(std::vector<R> routes) : routes_(std::move(routes)) {
    for (const auto& route : routes_) {
      PathPattern pattern(route.pattern);
      if (paths_.empty() || !(paths_.back().first == pattern)) {
        auto same = paths_.begin();
        while (same != paths_.end() && !(same->first == pattern)) ++same;
        if (same != paths_.end()) {
          same->second.push_back(&route);
          continue;
        }
        paths_.emplace_back(std::move(pattern), std::vector<const R*>{});
      }
      paths_.back().second.push_back(&route);
    }
  }
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // All routes of one path, and what stands in its {names}.
  struct Match {
    std::span<const R* const> routes;  // none: there is no such path
    PathParameters path;

    const R* find(std::string_view method) const {  // HEAD finds GET
      if (method == "HEAD") method = "GET";
      for (const auto* route : routes) {
        if (route->method == method) return route;
      }
      return nullptr;
    }

    // For Allow: what the path answers to.
    std::string allow() const {
      std::string allowed;
      for (const auto* route : routes) {
        allowed.append(route->method).append(route->method == "GET" ? ", HEAD, " : ", ");
      }
      return allowed + "OPTIONS";
    }
  };

  Match match(std::span<const std::string_view> segments) const {
    Match match;
    for (const auto& [pattern, routes] : paths_) {
      if (!pattern.fits(segments, match.path)) continue;
      match.routes = routes;
      break;
    }
    return match;
  }

  const std::vector<R>& routes() const { return routes_; }

 private:
  const std::vector<R> routes_;
  std::vector<std::pair<PathPattern, std::vector<const R*>>> paths_;
};

}  // namespace tilth
